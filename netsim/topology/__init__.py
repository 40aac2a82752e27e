"""How hosts are connected."""
