"""An autonomous agent for a test: what it does, posted to the real service."""

from __future__ import annotations


def call(number, *, tool="shell", ok=True, output=None, **more):
    """One tool call, as an agent's backend posts it."""
    printed = f"step {number} done" if output is None else output
    return {
        "id": f"a{number}",
        "kind": "tool_call",
        "tool": tool,
        "input": {"n": number},
        "ok": ok,
        "output": printed,
        **more,
    }


def thought(words, **more):
    """One thought."""
    return {"kind": "thought", "text": words, **more}


async def act(service, *actions, mind="ada", session="cycle-1"):
    """Post actions and return the answer."""
    return await service.http.post(f"/v1/minds/{mind}/sessions/{session}/actions", json={"actions": list(actions)})


async def acted(service, number, *, first=1, **more):
    """Post *number* tool calls in portions, and return the last answer's body."""
    answer = None
    for at in range(first, first + number, 20):
        answer = await act(service, *(call(one) for one in range(at, min(at + 20, first + number))), **more)
        assert answer.status_code == 202, answer.text
    return answer.json()


async def slept(service, seconds=60, *, mind="ada", **more):
    """Let the agent sleep, wait for its dream, and return the answer's body."""
    answer = await service.http.post(f"/v1/minds/{mind}/sleep", json={"seconds": seconds, "wait": True, **more})
    assert answer.status_code == 202, answer.text
    return answer.json()


async def dreams(service, *, mind="ada"):
    """The dreams, newest first."""
    return (await service.http.get(f"/v1/minds/{mind}/dreams", params={"limit": 200})).json()["dreams"]
