"""Words of another script: a line goes in the direction of most of its letters, whoever it begins with."""

import pytest

from tests.support.browser import visiting
from tests.support.openai_proxy import proxied

NAME, HEBREW = "נועה", "Femke גרה בחיפה ליד הים."
LATIN = "My brother Dror is allergic to peanuts."


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """A mind in which somebody with a Hebrew name speaks English, and somebody says Hebrew."""
    with proxied(tmp_path_factory.mktemp("directions") / "home") as service:
        for number, said in enumerate(({"content": LATIN, "name": NAME}, {"content": HEBREW})):
            body = {"session_id": f"s{number}", "messages": [{"role": "user", **said}]}
            service.http.post("/v1/minds/ada/turns", json=body).raise_for_status()
        service.digested("ada")
        yield service


@pytest.mark.parametrize("place", ["ada", "ada/facts", "ada/graph"])
def test_a_name_at_the_beginning_does_not_turn_a_line_round(browser, both, place):
    """Broken: the first letter of a line gives it its direction."""
    texts = [one["text"] for one in both.http.get("/v1/minds/ada/facts").json()["items"]]
    with visiting(browser, str(both.http.base_url).rstrip("/")) as visitor:
        visitor.open(place)
        shown = visitor.page.locator("bdi.said")
        shown.first.wait_for()
        directions = dict(
            shown.evaluate_all("all => all.map(one => [one.textContent, getComputedStyle(one).direction])")
        )

    assert any(one.startswith(NAME) for one in texts)
    assert {text: directions[text] for text in texts if text in directions} == {
        text: "ltr" if "Dror" in text else "rtl" for text in texts if text in directions
    }
    assert set(texts) & set(directions)
