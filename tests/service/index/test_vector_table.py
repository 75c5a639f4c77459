"""Vectors in a file: near the same as by comparing all in full, whatever is added, removed, torn or reopened."""

import os
import resource
import threading

import numpy as np
import pytest

from service.index.vector_table import VectorTable

DIMENSION = 48


def unit_rows(count, *, seed=7):
    """Unit vectors around forty topics, so that there is something to be near to."""
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(1).normal(size=(40, DIMENSION))
    rows = topics[random.integers(0, 40, count)] + random.normal(size=(count, DIMENSION)) * 0.7
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def filled(file, rows, *, first=0):
    table = VectorTable(file, dimension=DIMENSION)
    put(table, rows, first=first)
    return table


def put(table, rows, *, first=0):
    table.put({f"k{at}": row[None] for at, row in enumerate(rows, start=first)})


def best(rows, query, limit=10):
    return [f"k{at}" for at in np.argsort(-(rows @ query))[:limit]]


@pytest.mark.parametrize("count", [5, 700, 6_000])
def test_the_nearest_are_those_of_comparing_all_in_full(tmp_path, count):
    rows, asked = unit_rows(count), unit_rows(50, seed=3)
    table = filled(tmp_path / "t", rows)
    found = table.nearest(asked, limit=10)

    hits = sum(len(set(one.keys) & set(best(rows, query))) for one, query in zip(found, asked, strict=True))
    assert hits >= 0.99 * sum(len(best(rows, query)) for query in asked)
    for one, query in zip(found, asked, strict=True):
        exact = [float(rows[int(key[1:])] @ query) for key in one.keys]
        assert one.cosines[:, 0].tolist() == pytest.approx(exact, abs=1e-3)
        assert one.cosines[:, 0].tolist() == sorted(one.cosines[:, 0].tolist(), reverse=True)


def test_what_is_removed_takes_nobody_s_place(tmp_path):
    rows = np.eye(DIMENSION, dtype=np.float32)[:30] - 0.5
    table = filled(tmp_path / "t", rows)
    table.remove([f"k{at}" for at in range(10)])
    [found] = table.nearest(np.ones((1, DIMENSION), np.float32), limit=20)  # farther than what is nothing
    assert len(found.keys) == 20


def test_a_write_that_fails_takes_no_free_place(tmp_path):
    """Broken: the places that it had taken were not used again before the next start, and the file grew."""
    rows = unit_rows(60)
    table = filled(tmp_path / "t", rows[:40])
    table.remove([f"k{at}" for at in range(10)])
    size = (tmp_path / "t").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            put(table, rows[40:], first=40)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    put(table, rows[40:50], first=40)

    assert (tmp_path / "t").stat().st_size == size
    assert set(table.keys()) == {f"k{at}" for at in range(10, 50)}


@pytest.mark.parametrize("count", [100, 3_000])
def test_what_is_removed_is_not_found_and_its_place_is_used_again(tmp_path, count):
    rows = unit_rows(count)
    table = filled(tmp_path / "t", rows)
    table.nearest(rows[:1], limit=5)  # a large one is in bytes now
    size = (tmp_path / "t").stat().st_size
    table.remove([f"k{at}" for at in range(50)] + ["no such key"])
    gone = table.nearest(rows[:20], limit=10)
    put(table, rows[:50], first=count)
    again = table.nearest(rows[:20], limit=1)

    assert not {key for one in gone for key in one.keys} & {f"k{at}" for at in range(50)}
    assert [one.keys for one in again] == [(f"k{count + at}",) for at in range(20)]
    assert (tmp_path / "t").stat().st_size == size
    assert len(table) == count


def test_a_table_is_found_as_it_was_left(tmp_path):
    rows = unit_rows(300)
    table = filled(tmp_path / "t", rows)
    table.remove(["k7"])
    table.change("k9", 0, rows[11])
    table.change("no such key", 0, rows[11])
    opened = VectorTable(tmp_path / "t", dimension=DIMENSION)

    assert set(opened.keys()) == set(table.keys()) and opened.damaged == 0
    [found] = opened.nearest(rows[11:12], limit=2)
    assert set(found.keys) == {"k9", "k11"}
    assert opened.cosines(["k9", "k7", "k11"], rows[11]) == pytest.approx({"k9": 1, "k11": 1}, abs=1e-3)
    assert opened.vectors_of(["k3", "k7"])["k3"][0] == pytest.approx(rows[3], abs=1e-3)


def test_torn_records_are_missing_and_no_others(tmp_path):
    rows = unit_rows(300)
    table = filled(tmp_path / "t", rows)
    size = table._type.itemsize
    with (tmp_path / "t").open("r+b") as file:
        file.seek(5 * size + 90)
        file.write(b"\xff\x00\xff")
        file.seek(8 * size)
        file.write(os.urandom(3))
        file.truncate(250 * size + 11)
    opened = VectorTable(tmp_path / "t", dimension=DIMENSION)

    assert opened.damaged == 2
    assert set(opened.keys()) == {f"k{at}" for at in range(250)} - {"k5", "k8"}
    put(opened, rows[:300])
    assert VectorTable(tmp_path / "t", dimension=DIMENSION).damaged == 0


def test_no_byte_is_left_of_what_is_removed(tmp_path):
    rows = unit_rows(20)
    table = filled(tmp_path / "t", rows)
    table.remove(["k3"])
    content = (tmp_path / "t").read_bytes()
    assert b"k3" not in content and rows[3].astype(np.float16).tobytes() not in content
    assert rows[4].astype(np.float16).tobytes() in content


def test_what_has_too_long_a_key_is_not_compared(tmp_path):
    table = VectorTable(tmp_path / "t", dimension=DIMENSION)
    table.put({"ä" * 40: unit_rows(1)})
    assert len(table) == 0 and table.nearest(unit_rows(1), limit=3)[0].keys == ()


def test_searches_go_on_while_others_write(tmp_path):
    rows = unit_rows(4_000)
    table = filled(tmp_path / "t", rows[:2_500])
    stop, wrong = threading.Event(), []

    def search():
        while not stop.is_set():
            for one, query in zip(table.nearest(rows[:3], limit=5), rows[:3], strict=True):
                if one.keys[:1] != (best(rows[:3], query, 1)[0],):
                    wrong.append(one.keys)

    thread = threading.Thread(target=search)
    thread.start()
    for at in range(2_500, 4_000, 100):
        put(table, rows[at : at + 100], first=at)
        table.remove([f"k{at - 2_000}"])
    stop.set()
    thread.join()
    assert wrong == []
    assert [one.keys[0] for one in table.nearest(rows[3_990:], limit=1)] == [f"k{at}" for at in range(3_990, 4_000)]
