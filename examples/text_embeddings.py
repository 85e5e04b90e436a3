"""A text classifier: noise in the space of embeddings, and what that does and does not say.

    python examples/text_embeddings.py

The radius is an l2 distance between embeddings. It is no statement about words: replacing one word
by another moves the embedding by far more than such radii. What it bounds is what a change of the
embedding itself can do.
"""

import torch

import simplicert as sc

GOOD, BAD = ["good", "great", "fine"], ["bad", "poor", "dull"]
WORDS = ["the", "film", "was", *GOOD, *BAD]

torch.manual_seed(0)


class Reviews(torch.nn.Module):
    """Mean of the embeddings, then two classes."""

    def __init__(self) -> None:
        """Random weights; training is below."""
        super().__init__()
        self.words = torch.nn.Embedding(len(WORDS), 8)
        self.head = torch.nn.Linear(8, 2)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits of a batch of token numbers."""
        return self.head(self.words(tokens).mean(1))


def tokens(*texts: str) -> torch.Tensor:
    """Four words each."""
    return torch.tensor([[WORDS.index(word) for word in text.split()] for text in texts])


SIGMA = 0.3
network = Reviews()
train = tokens(*[f"the film was {word}" for word in (*GOOD, *BAD)])
labels = torch.tensor([0] * len(GOOD) + [1] * len(BAD))
rest = sc.models.at_layer(network, "words", train[:1])
optimiser = torch.optim.Adam(network.parameters(), 0.05)
for _ in range(150):  # noise where it will be: on the embeddings
    seen = network.words(train)
    logits = network.head((seen + SIGMA * torch.randn_like(seen)).mean(1))
    loss = torch.nn.functional.cross_entropy(logits, labels)
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()

features = rest.features(train)
certificates = sc.Smoothed(rest, SIGMA, 2).certify(features, draws=1000, labels=labels, seed=0)
print(certificates.to_frame()[["label", "predicted", "radius"]])

nearest = torch.cdist(network.words.weight, network.words.weight)
nearest.fill_diagonal_(torch.inf)
print("two words are at least this far apart:", round(nearest.min().item(), 3))
