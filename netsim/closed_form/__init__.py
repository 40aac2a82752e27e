"""The closed form: the least time that every resource needs."""
