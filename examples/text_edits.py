"""Words of a text may be inserted, deleted or replaced: how many before the answer changes?

    python examples/text_edits.py [--json FILE]

The texts are docstrings of functions and classes of NumPy, SciPy and scikit-learn, which are on
this machine already; the classifier says from which library a docstring comes. It is a linear model
of TF-IDF weights, trained on copies that lost words as they will be lost under the noise. Tokens
are the words of a text, what stands between white space. The classifier gets lists of tokens, also
empty ones, and answers with a label: nothing else is known of it.
"""

import argparse
import importlib
import inspect
import json
import warnings
from importlib.metadata import version
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import simplicert as sc

PARTS = {
    "numpy": ["", "linalg", "fft", "random", "ma"],
    "scipy": ["linalg", "optimize", "signal", "sparse", "special", "ndimage", "stats", "spatial"],
    "sklearn": ["linear_model", "ensemble", "cluster", "metrics", "preprocessing", "svm",
                "decomposition", "model_selection", "neighbors", "datasets", "manifold"],
}  # fmt: skip
LIBRARIES = list(PARTS)  # class numbers
FEWEST_WORDS = 100  # of a docstring that is taken
TRAINED, CERTIFIED, COPIES = 150, 100, 12  # docstrings of each library; thinned copies of each
RATES, DRAWS = (0.9, 0.97), 1000


def collect_docstrings(library: str) -> list[str]:
    """The docstrings of public functions and classes, each once, in an order of their own.

    Those that show where an object lies in memory are left out: it is another place every time.
    """
    found = set()
    for part in PARTS[library]:
        module = importlib.import_module(f"{library}.{part}".rstrip("."))
        for name in module.__all__:
            value = vars(module).get(name)
            if inspect.isroutine(value) or inspect.isclass(value):
                text = inspect.getdoc(value) or ""
                if len(text.split()) >= FEWEST_WORDS and " at 0x" not in text:
                    found.add(text)
    ordered = sorted(found)
    return [ordered[place] for place in np.random.default_rng(0).permutation(len(ordered))]


def take_tokens(tokens: list[str]) -> list[str]:
    """A text comes to the vectoriser as its tokens."""
    return tokens


def train(texts: list[list[str]], labels: list[int], rate: float):
    """A linear model, trained on copies of the texts that lost words at this rate."""
    random = np.random.default_rng(0)
    copies = [
        [token for token in text if random.random() >= rate]
        for text in texts
        for _ in range(COPIES)
    ]
    model = make_pipeline(
        TfidfVectorizer(analyzer=take_tokens, min_df=2, sublinear_tf=True),
        LogisticRegression(C=10, max_iter=200),
    )
    return model.fit(copies, np.repeat(labels, COPIES)).predict


def certify(predict, texts: list[list[str]], labels: list[int], rate: float) -> dict:
    """Draw the texts once, and read the draws in three norms."""
    tally = sc.sample(
        predict, texts, draws=DRAWS, labels=labels, noise="deletion", rate=rate,
        outputs="labels", num_classes=len(LIBRARIES), device="cpu",
    )  # fmt: skip
    known = sc.bound(tally, alpha=0.001)
    row = {"rate": rate, "abstained": float(known.abstained.mean())}
    for norm in ("edits", "insertions", "deletions"):
        certificates = sc.certify(known, norm=norm)
        right = np.where(certificates.correct, certificates.radius, -1)
        row[norm] = {str(r): float((right >= r).mean()) for r in (0, 1, 2, 4, 6, 10, 15, 20)}
    return row


def main() -> None:
    """Train and certify at every rate, and print certified accuracies."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    out = parser.parse_args().json
    warnings.simplefilter("ignore")  # of modules that are about to move
    train_texts, train_labels, texts, labels = [], [], [], []
    for number, library in enumerate(LIBRARIES):
        found = [text.split() for text in collect_docstrings(library)]
        train_texts += found[:TRAINED]
        train_labels += [number] * len(found[:TRAINED])
        texts += found[TRAINED : TRAINED + CERTIFIED]
        labels += [number] * len(found[TRAINED : TRAINED + CERTIFIED])
    result = {
        "texts": len(texts),
        "words": float(np.median([len(text) for text in texts])),
        "draws": DRAWS,
        "versions": {name: version(name.replace("sklearn", "scikit-learn")) for name in LIBRARIES},
        "rates": [],
    }
    print(f"{len(texts)} docstrings, median length {result['words']:.0f} words, {DRAWS} draws each")
    for rate in RATES:
        begun = process_time()
        predict = train(train_texts, train_labels, rate)
        row = certify(predict, texts, labels, rate)
        row["seconds"] = process_time() - begun
        row["plain"] = float((predict(texts) == np.array(labels)).mean())
        result["rates"].append(row)
        spent = f"{row['seconds']:.0f} s of one core"
        print(f"\nrate {rate}: without noise {row['plain']:.3f} right, {spent}")
        print("right and certified against so many changed words:")
        for norm in ("edits", "insertions", "deletions"):
            print(f"{norm:>10}", *(f"{r}: {share:.3f}" for r, share in row[norm].items()))
    if out is not None:
        out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
