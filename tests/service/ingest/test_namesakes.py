"""Which names a model may take for one. Every docstring says what was broken, once, to see the test fail."""

import pytest

from consolidation.kernel.ports import Reply
from prompts.responses import Identities, Identity
from service.ingest.extraction_prompts import KnownItem, TurnReader
from service.ingest.namesakes import may_be_one

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("name", "known", "detail"),
    [
        ("Anna", "Anna Keller", ""),
        ("Annie", "Anna Keller", ""),
        ("Bob", "Robert", ""),
        ("Liz", "Elizabeth", ""),
        ("NYC", "New York City", ""),
        ("New York City", "NYC", ""),
        ("Москва", "Moscow", ""),
        ("my sister", "Clara", ""),
        ("the user", "Ada", ""),
        ("Biscuit", "Rex", "The dog Rex is also called Biscuit."),
        ("小明", "王明", ""),
        ("❤️", "Clara", ""),
    ],
)
def test_names_that_may_be_one(name, known, detail):
    """Broken: ``may_be_one`` is false."""
    assert may_be_one(name, KnownItem(0, known, detail))


@pytest.mark.parametrize(
    ("name", "known"), [("Tom Fisher", "Anna Keller"), ("Hamburg", "Berlin"), ("Max", "Zoe"), ("张伟", "王芳")]
)
def test_names_that_are_not(name, known):
    """Broken: ``may_be_one`` is true."""
    assert not may_be_one(name, KnownItem(0, known, f"{known} lives here."))


class Merges:
    """Answers with pairs of a new number and a known one."""

    is_hosted = True

    def __init__(self, *pairs):
        self.pairs = pairs

    async def answer(self, ask):
        self.shown = [one.number for one in ask.words["known"]]
        found = tuple(Identity(number=number, same_as=same) for number, same in self.pairs)
        return Reply(Identities(identities=found))


async def merged(*pairs):
    model = Merges(*pairs)
    names = [KnownItem(0, "Annie"), KnownItem(1, "Anita")]
    found = await TurnReader(model, overrides=None).identify(names, [KnownItem(7, "Anna"), KnownItem(8, "Ann B")])
    assert model.shown == [100, 101]
    return found


async def test_a_number_that_only_repeats_the_new_name_is_none():
    """Broken: both lists begin with 0."""
    assert await merged((0, 0), (1, 1)) == {}


async def test_one_known_name_is_not_given_to_two():
    """Broken: each is taken by itself."""
    assert await merged((0, 100), (1, 100)) == {}
    assert await merged((0, 100), (1, None)) == {0: 7}
