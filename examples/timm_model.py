"""A network of timm, behind the normalisation that it was made for.

    python examples/timm_model.py

The weights here are random, so that nothing is fetched; `timm:NAME`, as a --model or in
`sc.models.load_model`, has the pretrained ones and puts the normalisation in front by itself.
"""

import numpy as np
import timm
import torch

import simplicert as sc

torch.manual_seed(0)
network = timm.create_model("resnet18", pretrained=False, num_classes=5)
mean, std = (torch.tensor(network.pretrained_cfg[name]).view(3, 1, 1) for name in ("mean", "std"))


def classifier(images: torch.Tensor) -> torch.Tensor:
    """Logits of images in [0, 1]: noise is added before the normalisation, in these units."""
    return network((images - mean) / std)


network.eval()  # a function hides its network, so it has to be done here
images = torch.from_numpy(np.random.default_rng(0).random((2, 3, 64, 64), dtype=np.float32))
certificates = sc.Smoothed(classifier, sigma=0.25).certify(images, draws=64, seed=0)
print(certificates.to_frame()[["predicted", "abstained", "radius", "e0", "e1"]])
