"""A page to look at scenarios: the chosen values, the limits of each resource, and simulated results (netsim explore).

Everything is plain Python except for `web`, the only module that imports the web library.
"""
