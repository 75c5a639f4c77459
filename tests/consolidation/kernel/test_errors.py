"""Errors that one process raises and another raises again."""

import pickle

import pytest

from consolidation.kernel.errors import (
    AmbiguousMemory,
    ImportUnreadable,
    InvalidRequest,
    RateLimited,
    StoryChanged,
    TurnErased,
)

FAULTS = [
    AmbiguousMemory("two have these words", candidates={"fact:1": "Ada met Bo.", "fact:2": "Ada met Bo."}),
    ImportUnreadable("a place", found="nothing", known_formats=("JSONL",)),
    InvalidRequest("is needed", pointer="#/user_id"),
    RateLimited("too many", seconds=7),
    StoryChanged("It began in May.", etag='"a"'),
    TurnErased("this turn was erased"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
def test_an_error_is_the_same_in_another_process(fault):
    there = pickle.loads(pickle.dumps(fault))

    assert type(there) is type(fault)
    assert str(there) == str(fault)
    assert vars(there) == vars(fault)
