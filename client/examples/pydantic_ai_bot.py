"""A pydantic-ai agent with memory. Usage: python pydantic_ai_bot.py "My mother lives in Lyon." [conversation]."""

import os
import sys

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

from mind_memory_client import MemoryClient
from mind_memory_client.adapters.pydantic_ai import MindMemory

words, conversation = [*sys.argv[1:], "chat-1"][:2]

with MemoryClient() as memory:
    recall = MindMemory(memory, mind=os.environ.get("MIND", "ada"), session=conversation)
    agent = Agent(OpenAIChatModel(os.environ.get("MODEL", "gpt-4o-mini")), capabilities=[recall])
    print(agent.run_sync(words).output)
