"""How hosts are wired to each other."""
