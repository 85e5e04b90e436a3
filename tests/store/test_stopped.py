"""Why the inputs of a run were drawn no further, while some are on their way to a look."""

import simplicert as sc


def test_inputs_at_a_look_are_asked_though_others_have_reached_none(tmp_path):
    plan = sc.Plan((100, 200), (0.5, 0.5), "decided")
    tally = sc.Tally([[100, 0], [50, 0], [55, 45], [200, 0]], 0.5, plan=plan)
    assert tally.looks.tolist() == [1, 0, 1, 2]
    run = sc.create_run(tmp_path / "run", sc.Manifest(0.5, 4, 2, plan=plan), tally)
    assert run.stopped.tolist() == ["certified", "", "", "certified"]
    assert run.done().tolist() == [0, 3] and run.missing == 2
