"""What a person says was wrong: "no, I sing alto" comes before what is newer."""

import pytest

from tests.e2e.test_phases import said, surfacing
from tests.support.service import running

pytestmark = pytest.mark.anyio


async def test_what_a_person_put_right_leads_before_something_newer_of_the_same_subject(tmp_path):
    """Broken: ``denials`` is empty: the girl leads."""
    right = "No, that's wrong, I sing alto."
    async with running(tmp_path) as service:
        for day, *turn in (
            (1, "I joined a choir on Bathurst Street.", "Lovely!"),
            (2, "Write a line about me for the choir's leaflet.", "Mia sings soprano in the choir."),
            (2, right, "Sorry: Mia sings alto in the choir."),
            (4, "Now it's just waiting, a girl in the choir waited eleven months.", "So long!"),
        ):
            at, roles = f"2026-01-0{day}T18:30:00Z", ("user", "assistant")
            messages = [said(one, at, role) for one, role in zip(turn, roles, strict=True)]
            await service.keep("ada", *messages, session_id="s0")
        await service.digested("ada")
        found = await surfacing(service, "What part do I sing in the choir?")

    first, second, *_ = sorted(found["flashbacks"], key=lambda one: -one["score"])
    assert right in first["text"] and "eleven months" in second["text"]
