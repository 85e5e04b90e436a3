"""The warning that labels may number other classes than the model is kept with a run."""

import simplicert as sc
from simplicert.store.label_warning import recorded_label_warning


def test_what_was_recorded_is_repeated():
    names = ["a", "b"]
    doubt = {"label_doubt": "classes differ", "class_names": names}
    for made, source, said in (
        (doubt, {}, "classes differ"),
        ({"label_doubt": "", "class_names": names}, {}, ""),
        ({"class_names": names}, {"class_map": "map.toml"}, ""),
    ):
        assert recorded_label_warning(sc.Manifest(0.5, 1, 3, made=made, source=source)) == said
    older = recorded_label_warning(sc.Manifest(0.5, 1, 3, made={"class_names": names}))
    assert "they are 3 and 2" in older
