"""Without a key, only this machine is answered, by its own names, and no web page of somebody else."""

import re

import pytest

from tests.support.service import running, settings_of

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with running(tmp_path_factory.mktemp("home")) as found:
        yield found


async def get(service, path="/v1/minds", *, address="127.0.0.1", **headers):
    async with service.client(address=address, headers=headers) as http:
        return await http.get(path)


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8001", "LOCALHOST", "localhost.", "127.0.0.1:8001", "127.8.8.8", "[::1]", "[::1]:8001"],
)
async def test_the_names_of_this_machine_are_answered(service, host):
    assert (await get(service, Host=host)).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "evil.example:8001",
        "127.0.0.1.evil.example",
        "localhost@evil.example",
        "evil.example#localhost",
        "evil.example/localhost",
        "0.0.0.0:8001",
        "[::]",
        "192.168.1.5",
        "[2001:db8::1]",
        "localhost,evil.example",
        "2130706433",
        "",
        "[",
        "a b",
    ],
)
async def test_another_name_may_have_been_bent_to_this_machine_and_is_refused(service, host):
    answer = await get(service, Host=host)

    assert (answer.status_code, answer.json()["type"]) == (421, "/problems/host-refused")
    assert (await get(service, "/healthz", Host=host)).status_code == 200


@pytest.mark.parametrize("origin", ["http://localhost", "HTTP://LOCALHOST", "https://localhost"])
async def test_our_own_pages_may_call(service, origin):
    assert (await get(service, Origin=origin)).status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "", "http://localhost:3000", "http://[", "localhost"]
)
async def test_a_page_of_another_site_may_not(service, origin):
    answer = await get(service, Origin=origin)

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/origin-refused")


@pytest.mark.parametrize("address", ["192.168.1.5", "10.0.0.1", "2001:db8::1", "::ffff:192.168.1.5", "nonsense"])
async def test_another_machine_is_refused_however_the_port_was_bound(service, address):
    answer = await get(service, address=address)

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/network-refused")
    assert "keys create" in answer.json()["detail"]


@pytest.mark.parametrize("address", ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", None])
async def test_this_machine_is_answered_by_any_of_its_addresses(service, address):
    assert (await get(service, address=address)).status_code == 200


async def test_what_a_caller_sends_as_a_key_does_not_matter_where_there_is_none(service):
    assert (await get(service, Authorization="Bearer mm_nonsense")).status_code == 200


async def test_a_trusted_network_is_answered_by_the_names_that_are_allowed(tmp_path):
    settings = settings_of(
        tmp_path, host="0.0.0.0", trust_network=True, access={"allowed_hosts": ["memory", "Box.example"]}
    )
    async with running(tmp_path, settings=settings) as service:
        named = [await get(service, address="172.17.0.1", Host=host) for host in ("memory:8001", "box.EXAMPLE")]
        bent = [await get(service, address="172.17.0.1", Host=host) for host in ("evil.example", "0.0.0.0")]
        foreign = await get(service, address="172.17.0.1", Host="memory", Origin="https://evil.example")

    assert {answer.status_code for answer in named} == {200}
    assert {answer.status_code for answer in bent} == {421}
    assert foreign.status_code == 403


async def test_every_name_can_be_allowed(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, access={"allowed_hosts": ["*"]})) as service:
        assert (await get(service, Host="anything.example")).status_code == 200


async def test_beyond_loopback_nothing_is_answered_without_a_key_even_when_the_keys_are_gone(tmp_path):
    async with running(tmp_path, settings=settings_of(tmp_path, host="0.0.0.0")) as service:
        assert (await get(service)).status_code == 401


async def test_a_limit_for_addresses_can_be_set(tmp_path):
    settings = settings_of(tmp_path, access={"keyless_requests_per_minute": 2})
    async with running(tmp_path, settings=settings) as service:
        answers = [await get(service) for _ in range(3)]
        other = await get(service, address="127.0.0.2")

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert other.status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "CROSS-SITE", "nonsense"])
@pytest.mark.parametrize("path", ["/v1/minds", "/v1/minds/ada/export", "/v1/minds/ada/remember?query=x", "/docs"])
async def test_what_a_browser_fetches_for_another_site_is_refused_also_without_an_origin(service, site, path):
    answer = await get(service, path, **{"Sec-Fetch-Site": site})

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/origin-refused")
    assert (await get(service, "/healthz", **{"Sec-Fetch-Site": site})).status_code == 200


@pytest.mark.parametrize("site", ["same-origin", "none"])
async def test_what_a_person_typed_and_our_own_page_are_answered(service, site):
    answer = await get(service, **{"Sec-Fetch-Site": site})

    assert answer.status_code == 200
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_the_page_of_all_calls_and_what_it_runs_come_from_here_under_a_policy(service):
    page = await get(service, "/docs")
    asked = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    parts = [await get(service, f"/{path}") for path in asked]

    assert asked == ["docs/swagger-ui.css", "docs/swagger-ui-bundle.js", "docs/start.js"]
    assert [part.status_code for part in parts] == [200, 200, 200]
    assert len(parts[1].content) > 1_000_000
    assert parts[2].headers["content-type"].startswith("text/javascript")
    for answer in (page, *parts):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy
    assert "<script>" not in page.text
    assert (await get(service, "/redoc")).status_code == 404
    assert (await get(service, "/docs/nothing.js")).status_code == 404


FOLLOWED = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


async def test_a_link_on_another_site_may_lead_to_a_page_without_data(service):
    assert (await get(service, "/docs", **FOLLOWED)).status_code == 200
    for path in ("/", "/console/", "/console/console.js"):
        assert (await get(service, path, **FOLLOWED)).status_code != 403


@pytest.mark.parametrize("path", ["/v1/minds", "/v1/minds/ada/export", "/v1/session", "/openapi.json", "/metrics"])
async def test_a_link_on_another_site_leads_to_nothing_else(service, path):
    answer = await get(service, path, **FOLLOWED)

    assert (answer.status_code, answer.json()["type"]) == (403, "/problems/origin-refused")


@pytest.mark.parametrize(
    "other",
    [{"Sec-Fetch-Dest": "iframe"}, {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, {"Sec-Fetch-Mode": ""}],
)
async def test_no_page_of_ours_is_a_part_of_a_page_of_another_site(service, other):
    assert (await get(service, "/docs", **{**FOLLOWED, **other})).status_code == 403


async def test_another_port_of_this_machine_is_another_site(service):
    async with service.client(headers={"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}) as http:
        posted = await http.post("/v1/minds/ada/turns", json={})

    assert (posted.status_code, posted.json()["type"]) == (403, "/problems/origin-refused")
