"""ImageNet as `folder:` wants it: a folder a class, every image RGB and 224 x 224.

    python experiments/imagenet/prepare.py ILSVRC/train /data/train --suffix jpg
    python experiments/imagenet/prepare.py ILSVRC/val /data/val --labels val.csv

The shorter side becomes 256 pixels (bilinear), and the middle 224 x 224 are kept. Grey and CMYK
images become RGB. `--labels`, for a validation folder without class folders, is a file of lines
`name,synset`; more words after the synset are passed over, as is a header. Images that are there
already are not made again, so that a stopped run goes on.

The classes are numbered by the alphabetical order of their folders. A certificate is about the
image as it is stored here: PNG keeps every pixel, JPEG (quality 95) takes a quarter of the room.
"""

import argparse
import csv
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from PIL import Image
from rich.progress import track

SHORTER, SIDE, QUALITY = 256, 224, 95
READ = (".jpeg", ".jpg", ".png")
CHUNK = 64  # images handed to a process at a time


def cropped(image: Image.Image) -> Image.Image:
    """The middle of an image whose shorter side is 256."""
    scale = SHORTER / min(image.size)
    width, height = (max(SIDE, round(scale * side)) for side in image.size)
    left, top = (width - SIDE) // 2, (height - SIDE) // 2
    small = image.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
    return small.crop((left, top, left + SIDE, top + SIDE))


def prepare(pair: tuple[Path, Path]) -> None:
    """Make one image, unless it is there; it appears whole or not at all."""
    source, target = pair
    if target.exists():
        return
    with Image.open(source) as image:
        small = cropped(image)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    small.save(unfinished, "PNG" if target.suffix == ".png" else "JPEG", quality=QUALITY)
    unfinished.replace(target)


def by_folder(source: Path) -> list[tuple[Path, str]]:
    """Every image with the class folder that it is in."""
    return [(path, path.parent.name) for path in images(source, "*/*")]


def by_file(source: Path, labels: Path) -> list[tuple[Path, str]]:
    """Every image of a flat folder with the class that the file gives it."""
    with labels.open(newline="") as lines:
        classes = {
            Path(row[0]).stem: row[1].split()[0] for row in csv.reader(lines) if len(row) > 1
        }
    found = images(source, "*")
    lost = [path.name for path in found if path.stem not in classes]
    if lost:
        sys.exit(f"{labels} must name the class of every image, got none for {lost[0]}")
    return [(path, classes[path.stem]) for path in found]


def images(source: Path, pattern: str) -> list[Path]:
    """In alphabetical order; none is a mistake."""
    found = sorted(path for path in source.glob(pattern) if path.suffix.lower() in READ)
    if not found:
        sys.exit(f"{source} must hold images as {pattern}, got none ({', '.join(READ)})")
    return found


def main() -> None:
    """All images, by as many processes as there are cores."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--suffix", choices=("png", "jpg"), default="png")
    asked = parser.parse_args()
    found = by_file(asked.source, asked.labels) if asked.labels else by_folder(asked.source)
    for name in {name for _, name in found}:
        (asked.out / name).mkdir(parents=True, exist_ok=True)
    pairs = [(path, asked.out / name / f"{path.stem}.{asked.suffix}") for path, name in found]
    with ProcessPoolExecutor() as pool:
        made = pool.map(prepare, pairs, chunksize=CHUNK)
        for _ in track(made, "images", total=len(pairs), disable=not sys.stderr.isatty()):
            pass
    print(f"{len(pairs)} images of {len({name for _, name in found})} classes in {asked.out}")


if __name__ == "__main__":
    main()
