"""The OpenAI Agents SDK with memory. Usage: python openai_agents_bot.py "My mother lives in Lyon." [conversation]."""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner
from openai import AsyncOpenAI

from mind_memory_client import MemoryClient
from mind_memory_client.adapters.openai_agents import SessionMemory

words, conversation = [*sys.argv[1:], "chat-1"][:2]


async def main() -> None:
    """Send one message and print the answer."""
    async with AsyncOpenAI() as openai:
        model = OpenAIChatCompletionsModel(os.environ.get("MODEL", "gpt-4o-mini"), openai)
        agent = Agent(name="bot", instructions="Be brief.", model=model)
        with MemoryClient() as memory:
            recall = SessionMemory(memory, mind=os.environ.get("MIND", "ada"), session=conversation)
            config = recall.run_config(tracing_disabled=True)
            print((await Runner.run(agent, words, hooks=recall, run_config=config)).final_output)


asyncio.run(main())
