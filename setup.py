"""What setup.cfg cannot say: all subpackages are found, and models/ travels in the wheel as netsim/models/."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["netsim", "netsim.*"]), "netsim.models"],
    package_dir={"netsim.models": "models"},
    package_data={"netsim": ["py.typed", "**/*.html", "**/*.css"], "netsim.models": ["**/*.toml"]},
)
