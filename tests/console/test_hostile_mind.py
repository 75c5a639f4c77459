"""A mind that others wrote to: markup, right-to-left marks, names without end. Nothing of it runs, styles, or cuts a page."""

import pytest

from tests.support.browser import ask, remember, visiting
from tests.support.openai_proxy import proxied

SCRIPT = '<img src=x onerror="document.title=\'taken\'"><script>document.title="taken"</script>'
STYLE = "<style>*{display:none}</style><b style='position:fixed;inset:0'>"
TURNED = "\u202eMinka\u202c sleeps \u2067 in the wardrobe"
ENDLESS = "Llanfair" * 400
LARGE = "Bruno plays chess in the lighthouse. " * 2_700  # 100 KB


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("hostile") / "home") as service:
        for number, words in enumerate((SCRIPT, STYLE, TURNED, ENDLESS, LARGE)):
            remember(service.http, "ada", f"My mother {words} lives in Lyon.", days_ago=number)
        body = {
            "session_id": SCRIPT,
            "messages": [{"role": "user", "content": "My aunt lives in Metz.", "name": "<b>Ann</b>"}],
        }
        service.http.post("/v1/minds/ada/turns", json=body).raise_for_status()
        service.digested("ada")
        ask(service.http, "ada", f"Where does my mother {SCRIPT} live?")
        said = {"what": "say", "to": f"The boat is called {SCRIPT}."}
        service.http.post("/v1/minds/ada/corrections", json=said).raise_for_status()
        service.http.post("/v1/minds/ada/consolidation", json={"trigger": "manual", "wait": True}).raise_for_status()
        yield service


@pytest.mark.parametrize("width", ["phone", "desk"])
def test_what_others_wrote_is_text_and_nothing_else(browser, hostile, every_page, width):
    cut = []
    with visiting(browser, str(hostile.http.base_url).rstrip("/"), width=width) as visitor:
        for place in every_page:
            visitor.open(place)
            cut += [place] if visitor.is_cut() else []
            assert "taken" not in visitor.page.title()
            assert visitor.page.locator("#console img[src], #console script, #console style").count() == 0, place
        troubles = visitor.troubles

    assert troubles == []
    assert cut == []
