"""Say of a run whether its labels may number other classes than its model does."""

from simplicert.store.manifest import Manifest

DIFFER = "the classes of model and data differ"

OTHERS = (
    "labels are numbered by the data's, so that accuracies may be of other classes; --class-map "
    "says which class each one is"
)


def recorded_label_warning(manifest: Manifest) -> str:
    """Return the warning about the labels of a run, to repeat wherever its accuracy is shown.

    Runs drawn before it was recorded show at least how many classes model and data have.
    """
    made = manifest.made
    if "label_doubt" in made or "class_map" in manifest.source:
        return str(made.get("label_doubt", ""))
    names = made.get("class_names")
    if not isinstance(names, list) or len(names) == manifest.classes:
        return ""
    return f"{DIFFER}, they are {manifest.classes} and {len(names)}: {OTHERS}"
