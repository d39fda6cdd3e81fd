"""Tables as pandas, polars and pyarrow take them."""

import math

import pytest

import gridloom

numpy = pytest.importorskip("numpy")


@pytest.fixture
def results(grid):
    return gridloom.run(grid, set={"experiment.trace": True})


def test_columns_have_types_that_do_not_depend_on_what_is_in_them(results):
    rows = results.rows
    assert isinstance(rows["verdict"], list) and set(rows["verdict"]) == {None}
    assert numpy.asarray(rows["n"]).dtype == numpy.int64
    assert numpy.asarray(rows["mean"]).dtype == numpy.float64
    assert math.isnan(rows["x"][0])
    assert len(results.trace) > 100 and "event" in results.trace.columns
    with pytest.raises(KeyError, match="there are experiment, series"):
        rows["no such column"]


def test_numpy_takes_numbers_without_copying(results):
    mean = results.rows["mean"]
    seen = numpy.asarray(mean)
    assert seen.ctypes.data == mean.__array_interface__["data"][0]
    assert not seen.flags.writeable
    assert seen.tolist() == mean.tolist() and mean[-1] == seen[-1]
    with pytest.raises(IndexError):
        mean[len(mean)]
    # The numbers outlive the table and the results.
    copy = seen.copy()
    del mean, results
    assert (seen == copy).all()


def test_pandas(results):
    pandas = pytest.importorskip("pandas")
    frame = gridloom.to_pandas(results.rows)
    assert list(frame.columns) == results.rows.columns and len(frame) == len(results.rows)
    wait = frame[(frame.metric == "wait") & (frame.series == "EASY") & frame.x.isna()]
    assert wait["mean"].tolist() == [mean(results, "EASY", "wait")]
    if hasattr(pandas.DataFrame, "from_arrow") and pytest.importorskip("pyarrow"):
        assert pandas.DataFrame.from_arrow(results.rows)["mean"].tolist() == frame["mean"].tolist()


def test_polars(results):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(results.observations)
    assert frame.columns == results.observations.columns and frame.height == len(results.observations)
    assert frame["value"].to_list() == results.observations["value"].tolist()


def test_pyarrow(results):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(results.rows)
    assert table.column_names == results.rows.columns
    assert table["x"].null_count == numpy.isnan(numpy.asarray(results.rows["x"])).sum()
    table.validate(full=True)
    assert pyarrow.array(results.rows["n"]).to_pylist() == results.rows["n"].tolist()


def mean(results, series, metric):
    rows = results.rows
    for index in range(len(rows)):
        if (rows["series"][index], rows["metric"][index]) == (series, metric) and math.isnan(rows["x"][index]):
            return rows["mean"][index]
    return None
