"""What leaves by the proxy's door when nobody foresaw the error."""

import json

import pytest

from service.openai_proxy.errors import OpenAIErrors

pytestmark = pytest.mark.anyio


async def test_an_unexpected_error_is_answered_in_openai_s_format_and_still_raised():
    sent = []

    async def fails(_scope, _receive, _send):
        raise ZeroDivisionError

    async def send(message):
        sent.append(message)

    with pytest.raises(ZeroDivisionError):
        await OpenAIErrors(fails)({"type": "http", "path": "/v1/models", "root_path": ""}, None, send)

    error = json.loads(sent[1]["body"])["error"]
    assert (sent[0]["status"], error["type"], error["code"]) == (500, "server_error", "memory_fault")
