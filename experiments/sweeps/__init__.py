"""Sweeps that people ask for, each in TOML files beside this one, and drawn as one picture:

    python -m experiments.sweeps                 all of them, into build/sweeps
    python -m experiments.sweeps mtu_bus         one

What was computed is kept in build/sweeps/NAME.db. Any of the files can be changed and run by `netsim sweep` as well.
"""
