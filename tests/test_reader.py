"""Reading records takes time in proportion to their length."""

import time

import pytest

from lynxden.records import RecordError, read_record


def test_the_first_key_that_appears_twice_is_named() -> None:
    with pytest.raises(RecordError, match=r"^the key 'a' appears twice$"):
        read_record('{"x": 1, "a": 1, "b": 2, "b": 3, "a": 4}')


def test_many_keys_of_which_one_appears_twice() -> None:
    keys = ",".join(f'"k{number}":0' for number in range(100_000))
    began = time.perf_counter()
    with pytest.raises(RecordError, match="the key 'last' appears twice"):
        read_record(f'{{{keys},"last":0,"last":1}}')
    assert time.perf_counter() - began < 5, "not in proportion to the square"
