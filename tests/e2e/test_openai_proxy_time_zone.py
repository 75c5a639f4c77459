"""A chat's memories are dated by the day of whoever speaks: by header, else by setting."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.openai_proxy import proxied
from tests.twins.provider import ScriptedProvider

LYON, WHERE = "My mother lives in Lyon, near the old bakery.", "Where does my mother live?"
EAST, WEST = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # 25 hours apart: never the same day


def dated(service, mind_id, **headers):
    """The line of the block that the model was shown for a question."""
    body = {"model": "memory", "messages": [{"role": "user", "content": WHERE}]}
    headers = {"X-Mind-Id": mind_id, **headers}
    answer = service.http.post("/v1/chat/completions", json=body, headers=headers)
    trace = service.http.get(f"/v1/minds/{mind_id}/traces/{answer.headers['X-Memory-Trace-Id']}").json()
    return next(line for line in trace["block"].splitlines() if "bakery" in line)


def test_the_label_has_the_day_of_the_header_else_of_the_setting(tmp_path):
    """Broken: ``_request`` of the proxy takes UTC."""
    at = datetime.now(UTC) - timedelta(days=20)
    days = {zone: at + timedelta(hours=hours) for zone, hours in ((EAST, 14), (WEST, -11))}
    with ScriptedProvider(respond=lambda _: "Lyon.") as provider:
        with proxied(tmp_path / "home", provider, proxy={"timezone": EAST}) as service:
            said = {"role": "user", "content": LYON, "timestamp": at.isoformat()}
            service.http.post("/v1/minds/ada/turns", json={"session_id": "s0", "messages": [said]}).raise_for_status()
            service.digested("ada")
            by_setting = dated(service, "ada", **{"X-Session-Id": "s1"})
            by_header = dated(service, "ada", **{"X-Session-Id": "s2", "X-Timezone": WEST})
            service.http.patch("/v1/minds/ada/settings", json={"timezone": WEST}, headers={"If-Match": "*"})
            by_mind = dated(service, "ada", **{"X-Session-Id": "s3"})
            body = {"model": "memory", "messages": [{"role": "user", "content": WHERE}]}
            wrong = service.http.post("/v1/chat/completions", json=body, headers={"X-Timezone": "Mars/Olympus"})

    assert f"{days[EAST]:%b} {days[EAST].day}" in by_setting
    assert f"{days[WEST]:%b} {days[WEST].day}" in by_header
    assert f"{days[WEST]:%b} {days[WEST].day}" in by_mind
    assert wrong.status_code == 400
    assert "X-Timezone" in wrong.text


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd"])
def test_a_setting_that_names_no_zone_is_refused(tmp_path, zone):
    with pytest.raises(ValueError, match="IANA"), proxied(tmp_path, proxy={"timezone": zone}):
        pass
