"""How long a run is simulated, and what is measured in it."""
