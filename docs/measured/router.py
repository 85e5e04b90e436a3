"""benchmarks/router.py: routers for sigma beside every single sigma. For docs/router.md."""

from typing import Any

from measured import format_table, round_down, round_up

Result = dict[str, Any]
NAMES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
FAMILIES = ("classes", "confident", "scores")


def describe_choice(router: Result) -> str:
    """How many routers were tried on the other inputs, and the best gain of any."""
    others = router["others"]
    goals = [goal for goal in others["goals"] if goal["radii"][0] == goal["radii"][1]]
    tried = others["tried"]
    gains = [max(goal[name]["score"] for name in FAMILIES) - goal["single"] for goal in goals]
    behind = sum(gain < 0 for gain in gains)
    trained = [
        row["accuracy"] - _goal_at(goals, row["radius"])["single"] for row in others["trained"]
    ]
    return (
        f"On {others['inputs']:,} other inputs {sum(tried.values()):,} routers were scored "
        f"({tried['classes']:,} by sets of classes, {tried['confident']:,} by the largest score, "
        f"{tried['scores']:,} by other numbers), each at {len(goals)} radii. One that sends fewer "
        f"than {round_up(100 * router['settings']['least_share'])} % of the inputs to one of its "
        f"branches does not count: it is a single sigma in disguise. At {behind} of these radii "
        "the best of all of them certifies fewer inputs "
        f"than the best single sigma, although it is the best in hindsight; at the others it "
        f"certifies as many. The largest gain is {_points(max(gains))} points. The "
        f"{len(trained)} trained routers end at {_points(min(trained))} to "
        f"{_points(max(trained))} points."
    )


def tabulate_routers(router: Result) -> str:
    """The router chosen for each radius beside the single sigma chosen for it."""
    head = ["r", "best single", "router", "its rule", "difference in points", "without sharing"]
    head += ["sigma by class", "by input"]
    certified, radii = router["certified"], router["settings"]["radii"]
    rows = []
    for row in certified["routers"]:
        if row["radii"][0] != row["radii"][1]:
            continue
        place = radii.index(row["radii"][0])
        one = certified["single"][row["rival"]][place]
        rest = [certified[name][place] for name in ("by_true_class", "any_router")]
        rows.append(
            [f"{radii[place]:g}", f"{round_down(one, 3)} ({row['rival']})"]
            + [round_down(row["accuracy"][place], 3), _rule(row["router"])]
            + [_interval(row), _points(row["free"]["difference"])]
            + [round_down(value, 3) for value in rest]
        )
    return format_table(head, rows)


def state_pairs_ahead(router: Result) -> str:
    """How many of the chosen routers have the larger mean at two radii."""
    pairs = [row for row in router["certified"]["routers"] if row["radii"][0] != row["radii"][1]]
    return f"{sum(row['difference'] > 0 for row in pairs)} of {len(pairs)}"


def state_loss_between(router: Result) -> str:
    """What the router that is ahead at both ends loses between them."""
    fresh, at = router["fresh"], router["settings"]["radii"].index(0.5)
    loss = fresh["single"][fresh["rival"]][at] - fresh["accuracy"][at]
    return f"{round_up(100 * loss, 1)} points"


def describe_fresh(router: Result) -> str:
    """The one router that was ahead, on the inputs that chose it and on fresh ones."""
    fresh, radii = router["fresh"], router["settings"]["radii"]
    goal = next(g for g in router["others"]["goals"] if g["radii"] == fresh["radii"])
    theirs = fresh["single"][fresh["rival"]]
    told = [
        f"{round_down(fresh['accuracy'][at], 3)} and {round_down(theirs[at], 3)} at {radii[at]:g}"
        for at in map(radii.index, (0.0, 0.5, 1.0))
    ]
    return (
        f"On the inputs that chose it it was ahead by "
        f"{_points(goal['classes']['score'] - goal['single'])} points. On {fresh['inputs']:,} "
        f"fresh ones, scored as those were, it is ahead by {_interval(fresh)} points. Certified "
        f"accuracy there, of the router and of sigma {fresh['rival']}: {', '.join(told)}."
    )


def state_settings(router: Result) -> str:
    """Draws and alpha of both sides."""
    known, certified = router["settings"], router["certified"]
    return (
        f"{certified['inputs']} inputs, {known['draws']:,} draws and alpha {known['alpha']:g} for "
        f"each: of the routed classifier's, {known['router_draws']:,} draws and "
        f"{known['router_alpha']:g} are the router's"
    )


def _goal_at(goals: list[Result], radius: float) -> Result:
    return next(goal for goal in goals if goal["radii"][0] == radius)


def _rule(how: Result) -> str:
    """Who goes where, in words."""
    zero, one = how["branches"]
    if "classes" not in how:
        return f"at {how['sigma']}: a score above {how['threshold']:.3g} to {one}, else to {zero}"
    classes, where, rest = how["classes"], one, zero
    if len(classes) > 5:
        classes = [k for k in range(10) if k not in classes]
        where, rest = zero, one
    return f"at {how['sigma']}: {', '.join(NAMES[k] for k in classes)} to {where}, else {rest}"


def _points(share: float) -> str:
    return round_down(100 * share, 1)


def _interval(row: Result) -> str:
    low, high = _points(row["low"]), round_up(100 * row["high"], 1)
    return f"{_points(row['difference'])} ({low} to {high})"
