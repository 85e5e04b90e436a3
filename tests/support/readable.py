"""Whether a reader can read a drawn map: no text cut off, none over another."""

from matplotlib.text import Annotation, Text


def texts_of(axes):
    """Every text that is shown, of the axes, its colour bar and its legend.

    Values of contours are left to matplotlib, which breaks its own lines for them.
    """
    parts = (axes, *axes.child_axes)
    found = [text for text in axes.texts if isinstance(text, Annotation) or text.zorder == 5]
    found += [label for part in parts for label in (part.xaxis.label, part.yaxis.label)]
    found += [tick for part in parts for tick in (*part.get_xticklabels(), *part.get_yticklabels())]
    found += [axes.title, axes._left_title]
    if axes.get_legend():
        found += [axes.get_legend().get_title(), *axes.get_legend().get_texts()]
    return [text for text in found if text.get_visible() and text.get_text()]


def assert_readable(axes, fewest):
    """Of the figure as it is saved, which may have grown at its borders to hold all texts."""
    figure = axes.get_figure()
    figure.draw_without_rendering()
    texts = texts_of(axes)
    boxes = [Text.get_window_extent(text) for text in texts]  # an Annotation's own adds its leader
    assert len(boxes) >= fewest and all(box.width > 0 for box in boxes)
    bars = [part.bbox for part in axes.child_axes]
    for i, box in enumerate(boxes):
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, texts[i]
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1, texts[i]
        assert not box.count_overlaps([*boxes[:i], *bars]), texts[i]
