"""Sweeps that people ask for, each in TOML files beside this one, and drawn as one picture:

    python -m experiments.sweeps                 all of them, into build/sweeps
    python -m experiments.sweeps mtu_bus         one

Results are kept in build/sweeps/NAME.db. Any of the files can also be changed and run by `netsim sweep`.
"""
