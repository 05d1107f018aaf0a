"""Synthetic burraco tables: procedural decks, real layouts, a camera. The same seed gives the same bytes.

Needs numpy, OpenCV and Pillow. Art packages are optional (`BURRACO_ART` names a folder with pictures made by
`vision.synth.art`); without them every deck is drawn from scratch. `BURRACO_FONTS` may name a folder of typefaces.
"""
