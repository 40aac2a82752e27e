"""How fast netsim itself is: `python -m benchmarks`."""
