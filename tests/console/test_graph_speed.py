"""The picture of 2,000 entities and 6,000 facts: how long a step of the slider takes, as a person waits for it."""

import random

import pytest

NAMES = ("Lyon", "choir", "Oskar", "thesis", "boat", "garden", "Pia", "museum")
BEGIN, DAYS = 1_735_689_600, 540
STEPS = 40
# From the slider's move until two frames later, when all that hangs on it is drawn again.
STEP = """
async (steps) => {
  const slider = document.querySelector("input[type=range]");
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const frame = () => new Promise((go) => requestAnimationFrame(go));
  const idle = [], took = [];
  for (let at = 0; at < steps; at += 1) {
    let began = performance.now();
    await frame(); await frame();
    idle.push(performance.now() - began);
    began = performance.now();
    set.call(slider, String(Number(slider.max) - 1 - at * 3));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await frame(); await frame();
    took.push(performance.now() - began);
  }
  return [idle, took];
}
"""


def day(number):
    from datetime import UTC, datetime

    return datetime.fromtimestamp(BEGIN + number * 86_400, UTC).isoformat()


def columns(chance):
    """What ``GET …/graph`` answers for a large mind."""
    first = sorted(chance.randrange(DAYS) for _ in range(2_000))
    ids = [f"entity:{number}" for number in range(2_000)]
    entities = {
        "id": ids,
        "name": [f"{chance.choice(NAMES)} {number}" for number in range(2_000)],
        "kind": [chance.choice(("Person", "Place", "Thing")) for _ in ids],
        "theme": [f"theme:{chance.randrange(12)}" for _ in ids],
        "first": [day(one) for one in first],
        "last": [day(min(DAYS, one + chance.randrange(200))) for one in first],
        "mentions": [chance.randrange(1, 40) for _ in ids],
    }
    starts = [chance.randrange(DAYS) for _ in range(6_000)]
    facts = {
        "id": [f"fact:{number}" for number in range(6_000)],
        "source": [chance.choice(ids) for _ in starts],
        "target": [chance.choice(ids) for _ in starts],
        "valid_at": [day(one) for one in starts],
        "invalid_at": [day(one + 60) if chance.random() < 0.15 else None for one in starts],
        "state": ["holding"] * 6_000,
    }
    themes = [{"id": f"theme:{number}", "name": f"{NAMES[number % 8]} {number}"} for number in range(12)]
    return {"entities": entities, "facts": facts, "themes": themes, "left_out": {"entities": 0, "facts": 0}}


@pytest.mark.timing
def test_a_step_through_time_is_quick(visitor):
    """Two frames with nothing to do are the measure of a shared machine: a budget of 100 ms holds where they take 33."""
    known = columns(random.Random(7))
    visitor.page.route("**/v1/minds/ada/graph*", lambda route: route.fulfill(json=known))
    visitor.open("ada/graph")
    visitor.page.wait_for_timeout(1500)

    idle, took = visitor.page.evaluate(STEP, STEPS)

    p95 = sorted(took)[int(0.95 * STEPS)]
    slowness = max(1.0, sorted(idle)[int(0.95 * STEPS)] / 34)
    assert p95 < 100 * slowness, (sorted(took)[-5:], sorted(idle)[-5:])
