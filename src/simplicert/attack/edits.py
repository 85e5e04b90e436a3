"""Edit a sequence of tokens, as few times as possible: insert, delete or replace tokens.

A path is a list of edits, each at another place of the input: so many of the first are made. The
places come from thinned copies: a token whose presence speaks for the certified class comes first.
New tokens come from the other inputs of the data, those of other classes first. The distance of
an edited sequence is the number of edits that made it, never less than the true one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simplicert.data.sequences import Token, TokenSequence, hold_sequences
from simplicert.noises import NOISES
from simplicert.sampling import Sampler
from simplicert.sampling.forward import retry_calls
from simplicert.types import Ints

if TYPE_CHECKING:
    from simplicert.attack.confirmer import ConfirmedPoint, Confirmer

COPIES = 8  # times the copies of a gradient show which places matter

RANKING = 0.25  # share of a look's draws that is enough to rank candidates

BEST_TOKENS = 3  # new tokens that paths are made of

FURTHEST = 8  # times the certified radius, and as many edits more, where the search gives up

BEYOND = 6  # more edits than the crossing at which confirmations are tried


class TokenEdit(NamedTuple):
    """A token put before a place, or in the place of a token; None deletes that token."""

    place: int
    token: Token | None
    inserted: bool = False


class EditedSequence(NamedTuple):
    """A sequence, and how many edits made it."""

    tokens: TokenSequence
    distance: int


@dataclass(frozen=True, eq=False)
class EditBall:
    """The sequences around one, in edits of the kinds that a norm allows."""

    centre: TokenSequence
    kind: str  # the norm: edits, insertions or deletions
    others: Sequence[Token]  # tokens of other inputs

    def apply(self, edits: Sequence[TokenEdit]) -> EditedSequence:
        """Make these edits, each of which has its place in the input itself."""
        changed = {edit.place: edit.token for edit in edits if not edit.inserted}
        before: dict[int, list[Token]] = {}
        for edit in edits:
            if edit.inserted and edit.token is not None:
                before.setdefault(edit.place, []).append(edit.token)
        made: list[Token] = []
        for place, token in enumerate(self.centre):
            made += before.get(place, [])
            left = changed.get(place, token)
            made += [] if left is None else [left]
        made += before.get(len(self.centre), [])
        return EditedSequence(tuple(made), len(edits))

    def norm(self, point: Any) -> float:
        """Return the number of edits, never less than the distance."""
        return float(point.distance)

    def perturbation(self, point: Any) -> np.ndarray:
        """Return the edited sequence itself, as an array of texts or of whole numbers."""
        made = np.array(list(point.tokens)) if point.tokens else np.empty(0, "<U1")
        return made.astype(str) if made.dtype == object else made

    def random_edit(self, random: np.random.Generator, tokens: Sequence[Token]) -> TokenEdit | None:
        """Return an edit of an allowed kind at a random place; None where there is none."""
        size = len(self.centre)
        kinds = {"edits": (0, 1, 2), "insertions": (0,), "deletions": (1,)}[self.kind]
        possible = [one for one in kinds if (one == 0 or size) and (one == 1 or tokens)]
        if not possible:
            return None
        chosen = possible[int(random.integers(len(possible)))]
        token = None if chosen == 1 else tokens[int(random.integers(len(tokens)))]
        place = int(random.integers(size + 1 if chosen == 0 else size))
        return TokenEdit(place, token, chosen == 0)

    def paths(self, order: Ints, token: Token | None, most: int) -> Iterator[list[TokenEdit]]:
        """Yield lists of edits: a token inserted in front, or in the place of others; or deletions.

        For a classifier that counts words one place is as good as another; exchanges try others.
        """
        front = [TokenEdit(0, token, True)] * most
        if token is not None and self.kind != "deletions":
            yield front
        if token is not None and self.kind == "edits":
            places = [place for place in order.tolist() if self.centre[place] != token]
            yield [*(TokenEdit(place, token) for place in places), *front][:most]
        if token is None and self.kind != "insertions":
            yield [TokenEdit(place, None) for place in order.tolist()][:most]


class TokenImportance:
    """Ranks the places of a sequence by what their presence in thinned copies does."""

    name = "deletion"

    def __init__(self, sampler: Sampler, copies: int, seed: int) -> None:
        """Use whole batches, at least COPIES times the copies."""
        self.sampler, self.batches = sampler, -(-COPIES * copies // sampler.settings.batch_size)
        self.random = np.random.default_rng(seed)
        self.draws = 0

    def direction(self, *_: object) -> None:
        """Sequences have no direction."""

    def order(self, ball: EditBall, certified: int) -> Ints:
        """Return places, those first whose token speaks most for the certified class."""
        size, noise = self.sampler.settings.batch_size, self.sampler.settings.smoothing.noise
        drop = NOISES[noise.name].drop
        assert drop is not None
        worth = np.zeros(len(ball.centre))
        for _ in range(self.batches):
            kept = drop(range(len(ball.centre)), self.random, slice(0, size), noise.rate)
            rows = hold_sequences([ball.centre[place] for place in places] for places in kept)
            outputs = retry_calls(self.sampler.batch.outputs_for)(rows)
            mine = self.sampler.evaluation.read(outputs).hard == certified
            for places, share in zip(kept, mine - mine.mean(), strict=True):
                worth[list(places)] += share
        self.draws += size * self.batches
        return np.argsort(-worth, kind="stable")


def find_smallest_edit(confirmer: "Confirmer") -> "ConfirmedPoint | None":
    """Return the nearest confirmed sequence, or None where none could be confirmed."""
    attacked = confirmer.attacked_input
    ball, slope = attacked.ball, attacked.slope
    assert isinstance(ball, EditBall) and isinstance(slope, TokenImportance)
    count = max(1, int(attacked.radius))
    order, most = slope.order(ball, attacked.certified), FURTHEST * (count + 1)
    tokens = _choose_tokens(confirmer, ball, order, count)
    paths = [path for token in (*tokens, None) for path in ball.paths(order, token, most)]
    paths = [_exchange_edits(confirmer, ball, path, tokens, count) for path in paths if path]
    paths.sort(key=lambda path: _look(confirmer, ball.apply(path[:count])), reverse=True)
    if not paths:
        return None
    within = ball.apply(paths[0][: int(attacked.radius)])
    inside = confirmer.confirm_inside(within) if 0 < within.distance <= attacked.radius else None
    if inside is not None:
        return inside
    crossings = [(_find_crossing(confirmer, ball, path, count), path) for path in paths]
    found = [(far, path) for far, path in crossings if far is not None]
    if not found:
        return None
    far, path = min(found, key=lambda one: one[0])
    ends = range(far, min(far + BEYOND, len(path)) + 1)
    return confirmer.confirm_first(ball.apply(path[:end]) for end in ends)


def _look(confirmer: "Confirmer", point: Any) -> tuple[float, float]:
    """Return how far the best other class is ahead in a short look, and a hint for ties."""
    draws = max(1, int(RANKING * confirmer.effort.explore))
    lead = confirmer.attacked_input.lead(point, draws)
    return lead.other - lead.own, lead.hint


def _choose_tokens(confirmer: "Confirmer", ball: EditBall, order: Ints, count: int) -> list[Token]:
    """Try tokens of other inputs at `count` edits, and return those that helped most."""
    random = confirmer.attacked_input.random
    if ball.kind == "deletions" or not ball.others:
        return []
    tries = range(4 * confirmer.effort.steps)
    drawn = [ball.others[int(random.integers(len(ball.others)))] for _ in tries]
    tried = list(dict.fromkeys(drawn))[: confirmer.effort.steps]

    def promise(token: Token) -> tuple[float, float]:
        return _look(confirmer, ball.apply(next(ball.paths(order, token, count))))

    return sorted(tried, key=promise, reverse=True)[:BEST_TOKENS]


def _exchange_edits(
    confirmer: "Confirmer",
    ball: EditBall,
    path: list[TokenEdit],
    tokens: Sequence[Token],
    count: int,
) -> list[TokenEdit]:
    """Exchange edits among the first `count` as long as a look likes it better."""
    random = confirmer.attacked_input.random
    best = _look(confirmer, ball.apply(path[:count]))
    for _ in range(confirmer.effort.restarts * 2):
        edit, place = ball.random_edit(random, tokens), int(random.integers(min(count, len(path))))
        taken = {one.place for one in path if not one.inserted}
        if edit is None or (not edit.inserted and edit.place in taken):
            continue
        other = [*path[:place], edit, *path[place + 1 :]]
        seen = _look(confirmer, ball.apply(other[:count]))
        if seen > best:
            path, best = other, seen
    return path


def _find_crossing(
    confirmer: "Confirmer", ball: EditBall, path: list[TokenEdit], count: int
) -> int | None:
    """Return the fewest edits of a path at which a look crosses, by halving; None if none does."""
    low, high = 0, count
    while not confirmer.crosses(ball.apply(path[:high])):
        if high >= len(path):
            return None
        low, high = high, min(2 * high, len(path))
    while high - low > 1:
        middle = (low + high) // 2
        if confirmer.crosses(ball.apply(path[:middle])):
            high = middle
        else:
            low = middle
    return high
