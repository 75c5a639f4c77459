"""A browser, and a service with a small life, for each module."""

import pytest

from tests.support.browser import CHROMIUM, ask, chromium, remember, visiting
from tests.support.openai_proxy import proxied

PAGES = (
    "",
    "replay",
    "story",
    "graph",
    "facts",
    "ask?q=Where+does+my+mother+live",
    "talk",
    "dreams",
    "journal",
    "moving",
    "erase",
    "settings",
)


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/console" in str(item.path) and CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="there is no chromium: apt-get install chromium"))


@pytest.fixture(scope="module")
def browser():
    """Closed with its module: while it is open it runs an event loop, beside which no other can run in this thread."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def every_page():
    """The places of all pages of the mind "ada"."""
    return tuple(f"ada/{page}".rstrip("/") for page in PAGES)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("console") / "home") as found:
        yield found


@pytest.fixture(scope="module")
def life(service):
    """A mind with half a year of talk, a story, a memory that came up, and a silence."""
    http = service.http
    remember(
        http, "ada", "My mother Ingrid lives in Lyon, near the old bakery.", "I am allergic to hazelnuts.", days_ago=200
    )
    remember(http, "ada", "My cat Minka broke the blue vase.", "I sing alto in the choir of Saint Anne.", days_ago=90)
    remember(http, "ada", "Oskar wants to buy a sailing boat.", days_ago=20)
    service.digested("ada")
    ask(http, "ada", "Where does my mother live?")
    ask(http, "ada", "Hello there!")
    http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).raise_for_status()
    service.digested("ada")
    return service


@pytest.fixture
def visitor(browser, life):
    with visiting(browser, str(life.http.base_url).rstrip("/")) as found:
        yield found
