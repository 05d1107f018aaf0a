"""Reading cards from photographs. Imports stay lazy: this package loads neither onnxruntime nor OpenCV."""
