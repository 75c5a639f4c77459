"""Every page, at a desk and on a phone, in both colours: it opens, nothing is refused, cut or barred."""

import pytest

from tests.support.browser import visiting


@pytest.mark.parametrize(
    ("colours", "width"), [("light", "desk"), ("dark", "phone"), ("light", "phone"), ("dark", "desk")]
)
def test_every_page_opens_without_a_barrier(browser, life, every_page, colours, width):
    found = {}
    with visiting(browser, str(life.http.base_url).rstrip("/"), colours=colours, width=width) as visitor:
        for place in ("", *every_page):
            visitor.open(place)
            found[place] = [*visitor.barriers(), *(["is cut"] if visitor.is_cut() else [])]
        troubles = visitor.troubles

    assert not any(found.values()), found
    assert troubles == []
