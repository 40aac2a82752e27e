"""A page to look at scenarios: what is chosen, what each resource allows, and what a simulation says (netsim explore).

All of it is plain Python except for `web`, which is the only module that imports the web library.
"""
