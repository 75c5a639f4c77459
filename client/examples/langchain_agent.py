"""A LangChain agent with memory. Usage: python langchain_agent.py "My mother lives in Lyon." [conversation]."""

import os
import sys

from langchain.agents import create_agent
from langchain_core.tools import create_retriever_tool
from langchain_openai import ChatOpenAI

from mind_memory_client import MemoryClient
from mind_memory_client.adapters.langchain import MemoryMiddleware, MemoryRetriever

words, conversation = [*sys.argv[1:], "chat-1"][:2]
mind = os.environ.get("MIND", "ada")

with MemoryClient() as memory:
    retriever = MemoryRetriever(memory=memory, mind=mind)
    agent = create_agent(
        ChatOpenAI(model=os.environ.get("MODEL", "gpt-4o-mini")),
        [create_retriever_tool(retriever, "remember", "What was said before: people, dates, decisions, preferences.")],
        middleware=[MemoryMiddleware(memory, mind=mind, session=conversation)],
    )
    found = agent.invoke({"messages": [{"role": "user", "content": words}]})
    print(found["messages"][-1].text)
