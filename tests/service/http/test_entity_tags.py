"""If-None-Match as RFC 9110 has it: a list of ETags, weak ones too, or a star; anything else holds nothing."""

import pytest

from tests.support.bad_input import MIND, service_of_one_turn

pytestmark = pytest.mark.anyio

READ = ("story", "observations", "waking", "files/SOUL.md")
HELD = {
    "the tag": "{}",
    "a weak one": "W/{}",
    "in a list": '"a", W/"b" ,{}',
    "any": "*",
    "a list with any": '"a", *',
}
NOT_HELD = {"another": '"a"', "a part of another": "x{}y", "nothing": "", "a quote": '"', "without quotes": "{bare}"}


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with service_of_one_turn(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.mark.parametrize("path", READ)
async def test_who_holds_what_is_there_is_not_sent_it_again(service, path):
    address = f"/v1/minds/{MIND}/{path}"
    etag = (await service.http.get(address)).headers["etag"]

    async def status(sent):
        answer = await service.http.get(address, headers={"if-none-match": sent.format(etag, bare=etag.strip('"'))})
        assert answer.headers["etag"] == etag
        return answer.status_code

    assert {name: await status(sent) for name, sent in HELD.items()} == dict.fromkeys(HELD, 304)
    assert {name: await status(sent) for name, sent in NOT_HELD.items()} == dict.fromkeys(NOT_HELD, 200)
