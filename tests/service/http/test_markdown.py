"""Accept as RFC 9110 has it: Markdown for who prefers it to JSON."""

import pytest

from tests.support.bad_input import MIND, service_of_one_turn

pytestmark = pytest.mark.anyio

READ = ("story", "observations", "files/SOUL.md")
MARKDOWN = ("text/markdown", "TEXT/Markdown", "text/*", "text/markdown, application/json;q=0.9", "text/markdown, */*")
JSON = (
    "",
    "*/*",
    "application/json",
    "text/markdown;q=0",
    "text/markdown; q=0.1, application/json;q=1",
    "text/markdown;q=0, */*",
    "text/markdownish",
    "text/html,application/xhtml+xml,*/*;q=0.8",
)


@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"


@pytest.fixture(scope="module")
async def service(anyio_backend, tmp_path_factory):
    async with service_of_one_turn(tmp_path_factory.mktemp("home")) as found:
        yield found


@pytest.mark.parametrize("path", READ)
async def test_a_file_is_sent_in_the_form_that_is_preferred(service, path):
    """Broken: any header that holds the name of Markdown gets it, and another spelling does not."""

    async def form(accept):
        answer = await service.http.get(f"/v1/minds/{MIND}/{path}", headers={"accept": accept})
        return answer.headers["content-type"].partition(";")[0]

    assert {accept: await form(accept) for accept in MARKDOWN} == dict.fromkeys(MARKDOWN, "text/markdown")
    assert {accept: await form(accept) for accept in JSON} == dict.fromkeys(JSON, "application/json")
