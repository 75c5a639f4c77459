"""
An autonomous agent that acts, tires, sleeps, dreams and wakes. Usage: mind-memory serve; python agent.py.

Its model is scripted, so that it needs no key: put your model into `think`, your tools into `read_invoice`.
"""

import os

from mind_memory_client import MemoryClient

MIND = os.environ.get("MIND", "clerk")


def think(number: int) -> str:
    """What the agent thinks before it acts: here, your model would answer."""
    return f"Next is invoice {number}: I read it and note its sum."


def read_invoice(number: int) -> tuple[bool, str]:
    """The agent's tool: whether it worked, and what it printed."""
    if number % 20 == 0:
        return False, f"invoice {number}: no date, the sum can not be booked"
    return True, f"invoice {number}: {number * 7}.50 euros, booked"


def live(memory: MemoryClient, session: str, numbers: range) -> int:
    """Think, call the tool, read, until the work is done or the agent must sleep; the number of the last invoice."""
    for number in numbers:
        ok, printed = read_invoice(number)
        called = {"kind": "tool_call", "tool": "read_invoice", "input": {"number": number}, "ok": ok, "output": printed}
        answer = memory.act(MIND, session, [{"kind": "thought", "text": think(number)}, called])
        if answer.notice:
            print(f"{answer.actions} calls, {answer.fatigue}: {answer.notice}")
        if answer.thought:
            print(f"at invoice {number} {answer.thought.text}")
        if answer.must_sleep:
            print(f"{answer.actions} calls, {answer.fatigue}: it must sleep.")
            return number
    return numbers[-1]


def main() -> None:
    """Two days of an agent's life."""
    with MemoryClient() as memory:
        last = live(memory, "cycle-1", range(1, 101))
        sleep = memory.sleep(MIND, 600, wait=True)
        print(f"It sleeps for {sleep.pause_seconds:g} s ({sleep.kind}). A real agent pauses now; this one is woken.")
        memory.wake_up(MIND, reason="there is work")
        live(memory, "cycle-2", range(last + 1, last + 9))
        dream = memory.dream(MIND, deep=True).dreams[0]
        print(f"It dreamt {dream.dream} times, the last time deeply, of {dream.actions} calls.")
        print(f"What it is told at waking:\n{memory.waking(MIND).text}")


if __name__ == "__main__":
    main()
