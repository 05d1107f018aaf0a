"""Training of the detector and the classifier (extra `train`: torch, ultralytics). Never imported at run time.

`python -m vision.train detector|classifier|export CONFIG` reads one TOML file; a run that was stopped hard goes on from
its last checkpoint when it is started again.
"""
