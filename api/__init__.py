"""The HTTP doors: an app factory, handlers of a few lines, no rule and no number computed here.

`create_app(settings)` in `api.app` builds the application; `burraco serve` runs it.
"""
