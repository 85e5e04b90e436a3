"""Networks with outputs of every sort, the same weights in all; importable as models of a run."""

import torch


class Net(torch.nn.Module):
    """Three numbers of twelve features, and what is made of them."""

    def __init__(self, ending):
        """`ending` makes outputs of logits."""
        super().__init__()
        torch.manual_seed(5)
        self.line, self.ending = torch.nn.Linear(12, 3), ending

    def forward(self, x):
        """Of a batch."""
        return self.ending(self.line(x.flatten(1)).float())


def logits():
    return Net(torch.nn.Identity())


def probabilities():
    return Net(torch.nn.Softmax(1))


class Largest(torch.nn.Module):
    """Class numbers."""

    def forward(self, x):
        """Of a batch."""
        return x.argmax(1)


def labels():
    return Net(Largest())


def scores():
    """Not negative, and of any sum."""
    return Net(torch.nn.ReLU())


NETS = {f.__name__: f for f in (logits, probabilities, labels, scores)}
