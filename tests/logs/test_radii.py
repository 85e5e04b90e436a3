"""Any table of radii can be read: the importer says which column is which."""

import pytest

import simplicert as sc
from simplicert.logs import radii

TABLE = """\
network,image_id,original_label,predicted_class,tmp_path,epsilon_value
"net, large",17,3,3,/a,0.75
"net, large",40,5,,/a,None
"""
COLUMNS = "index=image_id,label=original_label,predict=predicted_class,radius=epsilon_value"


def read(tmp_path, text=TABLE, columns=COLUMNS):
    path = tmp_path / "log.csv"
    path.write_text(text)
    return radii.read_radii(path, columns)


def test_named_columns(tmp_path):
    log = read(tmp_path)
    assert log.index.tolist() == [17, 40]
    assert log.label.tolist() == [3, 5]
    assert log.predicted.tolist() == [3, -1]
    assert log.radius_text == ("0.75", "")
    assert log.live.tolist() == [True, False]
    assert log.correct is None


def test_index_and_label_may_be_missing(tmp_path):
    log = read(
        tmp_path, "Class radius n\n3 0.5 100\n-1 0.0 200\n", "predict=class,radius=Radius, draws=n"
    )
    assert log.index.tolist() == [0, 1]
    assert log.label is None
    assert log.draws.tolist() == [100, 200]


@pytest.mark.parametrize(
    "columns",
    [
        "",
        "radius=r",
        "predict=p",
        "predict,radius=r",
        "predict=p,radius=",
        "sigma=s,predict=p,radius=r",
        "predict=p,radius=r,radius=q",
    ],
)
def test_columns_must_be_said_in_full(tmp_path, columns):
    with pytest.raises(sc.InvalidInput, match="columns must be name=column pairs with predict and"):
        read(tmp_path, columns=columns)


def test_a_column_that_is_not_there(tmp_path):
    with pytest.raises(sc.InvalidInput, match="must have a column r, got network, image_id"):
        read(tmp_path, columns="predict=predicted_class,radius=r")
