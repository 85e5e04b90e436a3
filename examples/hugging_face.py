"""A Hugging Face image classifier, offline: a folder written by save_pretrained.

    python examples/hugging_face.py

The classifier here is small and has random weights, so that nothing is fetched; `hf:NAME` loads any
image classifier that is in your cache, with its own normalisation.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from transformers import ViTConfig, ViTForImageClassification, ViTImageProcessor

import simplicert as sc

torch.manual_seed(0)
config = ViTConfig(
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    image_size=32,
    patch_size=8,
    num_labels=5,
)
images = np.random.default_rng(0).random((3, 3, 32, 32), dtype=np.float32)

with TemporaryDirectory() as folder:
    ViTForImageClassification(config).save_pretrained(folder)
    ViTImageProcessor(size={"height": 32, "width": 32}).save_pretrained(folder)
    model = sc.models.load_model(f"hf:{Path(folder)}")
    tally = sc.sample(model.classifier, images, sigma=0.1, draws=200)

print(sc.certify(sc.bound(tally)).to_frame()[["top", "abstained", "radius"]])
