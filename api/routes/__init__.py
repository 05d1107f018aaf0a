"""Handlers, one module a part; each has `router`, and may have `TAG` and `lifespan(app)`."""
