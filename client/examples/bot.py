"""A bot with memory, on the openai package. Usage: python bot.py "My mother lives in Lyon." [conversation]."""

import os
import sys

from openai import OpenAI

from mind_memory_client import MemoryClient

words, conversation = [*sys.argv[1:], "chat-1"][:2]

with MemoryClient() as memory, OpenAI() as openai:
    with memory.turn(os.environ.get("MIND", "ada"), conversation, words) as turn:
        answer = openai.chat.completions.create(model=os.environ.get("MODEL", "gpt-4o-mini"), messages=turn.messages)
        turn.answer(answer)
    print(answer.choices[0].message.content)
