"""Certificates that are wrong on purpose: a harness that does not catch them proves nothing."""

import numpy as np
from coverage_rates import WAYS, Case, certified, judge, summary
from truths import POINTS_OF

import simplicert as sc

INFLATED = 1.5


def controls(repeats, draws=300, alpha=0.05):
    """What must be caught: radii inflated, looks without a plan, a pilot that is no other draws."""
    default = WAYS["multinomial"][0]
    out = []

    def caught(name, point, wrong):
        wrong = summary(np.concatenate(wrong))
        out.append({"control": name, "point": point, "alpha": alpha, "wrong": wrong})

    for kind, point in (
        ("multinomial", "radius .5"),
        ("multinomial", "unequal .58 .31 .11"),
        ("softmax", "stairs, clear"),
    ):
        slabs, wrong = POINTS_OF[kind][point], []
        way = WAYS[kind][0]
        for people in Case(slabs, kind, way, alpha, draws, repeats, (7,)).people():
            people.draw(draws)
            found = certified(people.tally(), alpha, kind, way)
            wrong.append(judge(slabs, kind, found, INFLATED))
        caught(f"radii times {INFLATED}, {kind}", point, wrong)
    slabs, wrong = POINTS_OF["multinomial"]["radius .5"], []
    for people in Case(slabs, "multinomial", default, alpha, draws, repeats, (8,)).people():
        mine = np.zeros(len(people.held), bool)
        for _ in range(10):
            people.draw(draws // 10)
            found = certified(people.tally(), alpha, "multinomial", default)
            mine |= judge(slabs, "multinomial", found)
        wrong.append(mine)
    caught("ten looks, each with all of alpha", "radius .5", wrong)
    slabs, wrong = POINTS_OF["multinomial"]["tie"], []
    for people in Case(slabs, "multinomial", default, alpha, draws, repeats, (9,)).people():
        people.draw(draws)
        tally = people.tally()
        same = sc.Tally(tally.counts, 1.0, pilot=tally.counts)
        found = certified(same, alpha, "multinomial", ("split", "one_sided", False))
        wrong.append(judge(slabs, "multinomial", found))
    caught("split, its pilot the same draws", "tie", wrong)
    return out
