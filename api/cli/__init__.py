"""The commands that stand on the match book and the server; `scorer.cli.registry` names them, nothing imports them."""
