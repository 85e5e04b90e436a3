"""`csv:FILE` and `parquet:FILE`: tables of numbers with a column of labels."""

import numpy as np
import pandas as pd
import pytest

from simplicert.data import DataOptions, load_data
from simplicert.errors import InvalidInput

IRIS = "sepal,petal,label\n5.1,0.2,setosa\n6.3,1.8,virginica\n4.9,.3,setosa\n"
FRAME = pd.DataFrame(
    {"sepal": [5.1, 6.3, 4.9], "petal": [0.2, 1.8, 0.3], "label": ["setosa", "virginica", "setosa"]}
)
VALUES = FRAME[["sepal", "petal"]].to_numpy(np.float32)


@pytest.fixture
def written(tmp_path):
    def write(text, name="iris.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_columns_labels_and_classes(written):
    data = load_data(written(IRIS))
    assert data.name == "iris.csv" and data.columns == ("sepal", "petal")
    assert data.classes == ("setosa", "virginica") and data.labels.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(data.inputs[np.arange(3)], VALUES)
    assert data.inputs[0].dtype == np.float32


def test_a_prefix_says_what_a_file_is(written, tmp_path):
    named = load_data(f"csv:{written(IRIS, 'iris.data')}")
    FRAME.to_parquet(tmp_path / "iris.table")
    table = load_data(f"parquet:{tmp_path / 'iris.table'}")
    assert named.fingerprint == table.fingerprint == load_data(written(IRIS)).fingerprint
    assert table.classes == named.classes and table.name == "parquet:iris.table"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_and_the_mark_of_a_spreadsheet(written, separator):
    text = "\ufeff" + IRIS.replace(",", separator).replace("\n", "\r\n")
    assert load_data(written(text)).fingerprint == load_data(written(IRIS, "b.csv")).fingerprint


def test_the_label_is_a_column_of_any_name(written):
    path = written(IRIS.replace("label", "species"))
    with pytest.raises(InvalidInput, match=r"no column label: --label-column .*petal, species"):
        load_data(path)
    data = load_data(path, options=DataOptions(label_column="species"))
    assert data.columns == ("sepal", "petal") and data.labels.tolist() == [0, 1, 0]
    with pytest.raises(InvalidInput, match="has no column kind"):
        load_data(path, options=DataOptions(label_column="kind"))
    chosen = DataOptions(label_column="", columns=("petal",))
    assert load_data(path, options=chosen).labels is None
    assert load_data(path, options=chosen).inputs.shape == (3, 1)


def test_labels_may_be_numbers_or_true_and_false(written, tmp_path):
    assert load_data(written("a,label\n1,2\n2,0\n")).labels.tolist() == [2, 0]
    assert load_data(written("a,label\n1,2.0\n2,0.0\n")).labels.tolist() == [2, 0]
    truth = load_data(written("a,label\n1,True\n2,False\n"))
    assert truth.classes == ("False", "True") and truth.labels.tolist() == [1, 0]
    kinds = FRAME.assign(label=FRAME["label"].astype("category"))
    kinds.to_parquet(tmp_path / "kinds.parquet")
    assert load_data(str(tmp_path / "kinds.parquet")).classes == ("setosa", "virginica")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "city,a,label\nOslo,1,0\n",
            "column city of iris.csv must hold numbers, got 'Oslo'",
        ),
        ("old,a,label\nTrue,1,0\n", "column old of iris.csv must hold numbers, got .*True"),
        ("a,b,label\n1,,0\n", "column b of iris.csv must hold numbers, got no values"),
        (
            "a,b,label\n1,2,0\n1,,0\n",
            "column b of iris.csv must have a number.* row 1",
        ),
        ("a,label\n1,x\n2,\n", "column label of iris.csv must have a label in every row.* row 1"),
        ("a,label\n1,0.5\n2,1\n", "must hold classes .texts or whole numbers., got 0.5"),
        ("a,label\n1,-1\n2,1\n", "labels of iris.csv must"),
        ("a,label\n1,1e300\n", "must hold class numbers, got 1e.300"),
        ("a,label\n1e39,1\n", "must be finite in float32"),
        (",a,label\n0,1,2\n", "must have a name, got one without: if it numbers the rows"),
        ("a,a,label\n0,1,2\n", "must differ in name, got 'a'"),
        ("5.1,0.2,0\n6.3,1.8,1\n", "must begin with the names of its columns, got '5.1"),
        ("", "must begin with the names of its columns, got none"),
        ("a,label\n", "at least one row, got none"),
        ("label\n1\n", "must have a column besides its label 'label'"),
        ("a,label\n1,2,3\n1,2\n", "iris.csv must have a cell for each column"),
    ],
)
def test_what_is_refused_is_named(written, text, message):
    with pytest.raises(InvalidInput, match=message):
        load_data(written(text))


def test_columns_must_be_there(written):
    path = written(IRIS)
    for names in (("petals",), ("label",)):
        with pytest.raises(InvalidInput, match=r"columns must be columns of iris.csv other than"):
            load_data(path, options=DataOptions(columns=names))


def test_other_data_have_no_columns():
    with pytest.raises(InvalidInput, match="label_column is an option of csv:, parquet: and hf:"):
        load_data("digits", options=DataOptions(label_column="x"))
    with pytest.raises(InvalidInput, match="resize is an option of folder: and hf:, and digits"):
        load_data("digits", options=DataOptions(resize=9))


def test_damaged_files(written, tmp_path):
    with pytest.raises(InvalidInput, match=r"x.parquet must be a Parquet table"):
        load_data(written("no table", "x.parquet"))
    (tmp_path / "x.csv").write_bytes(b"a,label\n\xff\xfe,1\n")
    with pytest.raises(InvalidInput, match=r"x.csv must be UTF-8 text"):
        load_data(str(tmp_path / "x.csv"))
    with pytest.raises(InvalidInput, match="must name a file that exists"):
        load_data("csv:nothing")


def test_text_labels_of_an_npz_file(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, inputs=VALUES, labels=np.array(["cat", "ant", "cat"]))
    assert load_data(str(path)).classes == ("ant", "cat")
    assert load_data(str(path)).labels.tolist() == [1, 0, 1]
    np.savez(path, inputs=VALUES, labels=np.array(["cat", "ant", "cat"]), classes=["cat", "ant"])
    assert load_data(str(path)).labels.tolist() == [0, 1, 0]
    np.savez(path, inputs=VALUES, labels=np.array(["cat", "ant", "cat"]), classes=["cat"])
    with pytest.raises(InvalidInput, match=r"must be among its classes, got .'ant'"):
        load_data(str(path))
