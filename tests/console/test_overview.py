"""The overview: what is new, put right and taken back from there; what waits; the plots and their tables."""

import re

from playwright.sync_api import expect

from tests.support.browser import ask, remember, visiting
from tests.support.openai_proxy import proxied

# What is written on a canvas stands nowhere else in the page.
_KEEP_LABELS = """
const write = CanvasRenderingContext2D.prototype.fillText;
window.labels = [];
CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
  window.labels.push(text);
  return write.call(this, text, ...place);
};
"""

# Of a canvas: pixels that are neither paper, nor a band, nor what frames the plot.
_COLOURED = """
canvas => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    const colours = [...data.slice(at, at + 3)];
    if (data[at + 3] > 200 && Math.max(...colours) - Math.min(...colours) > 60) found += 1;
  }
  return found;
}
"""


def facts(life):
    return {one["text"]: one for one in life.http.get("/v1/minds/ada/facts").json()["items"]}


def of(life, words):
    return next(one for text, one in facts(life).items() if words in text)


def item(visitor, words):
    return (
        visitor.page.get_by_role("region", name="Since you were here")
        .get_by_role("listitem")
        .filter(has_text="Learned")
        .filter(has_text=words)
        .first
    )


def ways(visitor, words):
    """The buttons that put a fact right."""
    found = item(visitor, words)
    found.get_by_role("button", name="Put it right").click()
    return found


def holds(life, more=0):
    """The beginning of the sentence about the mind, with so many turns more, each in a conversation of its own."""
    found = life.http.get("/v1/minds/ada").json()
    return f"ada holds {found['turns'] + more} turns in {found['sessions'] + more} conversations"


def test_it_says_in_a_sentence_what_it_holds(visitor, life):
    visitor.open("ada")

    expect(visitor.page.get_by_text(holds(life))).to_be_visible()


def test_what_a_person_said_counts_among_the_facts(visitor, life):
    """Broken: the sentence counts the graph alone, and the list of facts has one more."""
    said = life.http.post("/v1/minds/ada/corrections", json={"what": "say", "to": "Oskar is afraid of geese."}).json()
    known = len(life.http.get("/v1/minds/ada/facts?limit=500").json()["items"])
    visitor.open("ada")
    expect(visitor.page.get_by_text(f", {known} facts, ")).to_be_visible()
    life.http.delete(f"/v1/minds/ada/corrections/{said['id']}").raise_for_status()


def test_links_are_large_enough_for_a_finger(browser, life):
    """Broken: a link is as high as its letters."""
    with visiting(browser, str(life.http.base_url).rstrip("/"), width="phone") as visitor:
        visitor.open("ada")
        visitor.page.get_by_role("region", name="Since you were here").get_by_role("listitem").first.wait_for()
        links = visitor.page.locator(".overview a, .overview button.link")
        heights = links.evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")

    assert len(heights) > 3
    assert min(heights) >= 40


def test_a_fact_that_is_wrong_is_so_at_once_and_undone_with_a_click(visitor, life):
    visitor.open("ada")
    ways(visitor, "Minka").get_by_role("button", name="Wrong").click()
    expect(visitor.page.get_by_role("status").filter(has_text="not told any more")).to_be_visible()
    wrong = of(life, "Minka")["state"]
    visitor.page.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(visitor.page.get_by_role("status").filter(has_text="Taken back")).to_be_visible()

    assert wrong == "wrong"
    assert of(life, "Minka")["state"] == "holding"


def test_a_fact_is_edited_in_a_dialog_that_keeps_the_focus(visitor, life):
    visitor.open("ada")
    ways(visitor, "Minka").get_by_role("button", name="Edit").click()
    dialog = visitor.page.get_by_role("dialog", name="How is it really?")
    expect(dialog.get_by_role("button", name="Save")).to_be_disabled()
    dialog.get_by_label("It is like this").fill("My cat Minka broke the green vase.")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()
    made = life.http.get("/v1/minds/ada/corrections").json()["items"][0]
    visitor.page.keyboard.press("u")
    expect(visitor.page.get_by_role("status").filter(has_text="Taken back")).to_be_visible()

    assert (made["what"], made["to"]) == ("edit", "My cat Minka broke the green vase.")
    assert life.http.get(f"/v1/minds/ada/corrections/{made['id']}").json()["state"] == "undone"


def test_a_plot_is_a_table_as_well(visitor):
    visitor.open("ada")
    plot = visitor.page.locator("figure").filter(has_text="Something came to mind in")
    expect(plot.get_by_role("img")).to_be_visible()
    plot.get_by_role("button", name="As a table").click()

    expect(plot.get_by_role("columnheader", name="Share of calls")).to_be_visible()


def test_what_happens_meanwhile_is_shown_without_a_click(visitor, life):
    visitor.open("ada")
    awaited = holds(life, more=1)
    body = {"session_id": "late", "messages": [{"role": "user", "content": "The lighthouse keeper Bruno plays chess."}]}
    life.http.post("/v1/minds/ada/turns", json=body).raise_for_status()

    expect(visitor.page.get_by_text(awaited)).to_be_visible()


def test_a_chapter_is_named_by_its_title_and_its_day(visitor):
    visitor.open("ada")
    told = visitor.page.get_by_role("listitem").filter(has_text="Told in the story").first

    expect(told).to_have_text(re.compile(r"Told in the story: [^\[]+, \d+ \w+ 2\d{3}$"))


def test_a_plot_without_figures_says_why(visitor):
    visitor.open("ada")
    plot = visitor.page.locator("figure").filter(has_text="Looking for memories cost nothing")

    expect(plot).to_contain_text("No model was asked before an answer")
    expect(plot.get_by_role("img")).to_have_count(0)


def test_each_line_of_a_plot_is_named(visitor):
    visitor.open("ada")
    plot = visitor.page.locator("figure").filter(has_text="of 100 times it answered")

    expect(plot).to_contain_text("half of the times")


def test_the_plots_of_a_mind_of_one_day_name_the_days_around_it(browser, tmp_path):
    """Broken: a single day is drawn as the first of a thousand days, and each year's is called Jan 1."""
    with proxied(tmp_path / "home") as service, visiting(browser, str(service.http.base_url).rstrip("/")) as visitor:
        remember(service.http, "newborn", "My cat is called Minka.", days_ago=0)
        service.digested("newborn")
        visitor.page.add_init_script(_KEEP_LABELS)
        visitor.open("newborn")

        expect(visitor.page.locator("figure canvas").first).to_be_visible()
        labels = {one for one in visitor.page.evaluate("labels") if re.fullmatch(r"\d{1,2} [A-Z][a-z]+", one)}

        assert len(labels) >= 3


def test_the_plots_have_the_days_of_the_browser(browser, tmp_path):
    """Broken: they are days of UTC, and a day is drawn under the name of the one before it."""
    with (
        proxied(tmp_path / "home") as service,
        visiting(browser, str(service.http.base_url).rstrip("/"), timezone="Pacific/Honolulu") as visitor,
    ):
        remember(service.http, "far", "My cat is called Minka.", days_ago=1)
        service.digested("far")
        asked = {"session_id": "s", "messages": [{"role": "user", "content": "What is my cat called?"}]}
        for at in ("2027-01-13T02:00:00Z", "2027-01-13T02:01:00Z"):
            at_then = asked | {"now": at, "deadline_ms": 0}
            trace_id = service.http.post("/v1/minds/far/resonance", json=at_then).json()["trace_id"]
            service.http.post("/v1/minds/far/turns", json=asked | {"trace_id": trace_id}).raise_for_status()
        visitor.page.add_init_script(_KEEP_LABELS)
        visitor.open("far")
        plot = visitor.page.locator("figure").filter(has_text="it held back")
        expect(plot.locator("canvas")).to_be_visible()
        labels = visitor.page.evaluate("labels")
        plot.get_by_role("button", name="As a table").click()

        expect(plot.get_by_role("rowheader")).to_have_text(["2027-01-12"])
        assert {"9 Jan", "15 Jan"} <= set(labels)  # three days around the one


def test_a_line_of_a_single_day_is_seen(browser, tmp_path):
    """Broken: the frame is empty, since one value makes no line."""
    with proxied(tmp_path / "home") as service, visiting(browser, str(service.http.base_url).rstrip("/")) as visitor:
        remember(service.http, "newborn", "My cat is called Minka.", days_ago=0)
        ask(service.http, "newborn", "What is my cat called?")
        service.digested("newborn")
        visitor.open("newborn")
        plot = visitor.page.locator("figure").filter(has_text="Something came to mind in")
        expect(plot.locator("canvas")).to_be_visible()

        assert plot.locator("canvas").evaluate(_COLOURED) > 5


def test_on_a_phone_what_was_done_and_its_undo_fit_into_a_line(browser, life):
    """Broken: "Undo" is a column of letters."""
    with visiting(browser, str(life.http.base_url).rstrip("/"), width="phone") as visitor:
        visitor.open("ada/facts")
        visitor.page.locator("li.fact").first.get_by_role("button", name="Pin").click()
        undo = visitor.page.locator(".toast").get_by_role("button", name="Undo")
        size = undo.evaluate("one => [one.clientWidth, one.clientHeight]")
        width = visitor.page.locator(".toast").evaluate("one => one.clientWidth")
        undo.click()

        assert size[1] < 50 and size[0] > size[1] and width > 250, (size, width)
