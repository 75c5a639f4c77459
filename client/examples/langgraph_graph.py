"""A LangGraph graph with memory. Usage: python langgraph_graph.py "My mother lives in Lyon." [conversation]."""

import os
import sys
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from mind_memory_client import MemoryClient
from mind_memory_client.adapters.langchain import MemoryMiddleware, MemoryState

words, conversation = [*sys.argv[1:], "chat-1"][:2]

with MemoryClient() as memory:
    middleware = MemoryMiddleware(memory, mind=os.environ.get("MIND", "ada"))
    model = ChatOpenAI(model=os.environ.get("MODEL", "gpt-4o-mini"))

    def speak(state: MemoryState) -> dict[str, Any]:
        """Ask the model with memory among the messages; the state keeps the graph's own ones."""
        return {"messages": [model.invoke(middleware.messages_with_memory(state))]}

    graph = StateGraph(MemoryState)
    graph.add_node("recall", middleware.before_agent)
    graph.add_node("speak", speak)
    graph.add_node("save", middleware.after_agent)
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "speak")
    graph.add_edge("speak", "save")
    graph.add_edge("save", END)
    app = graph.compile(checkpointer=InMemorySaver())
    found = app.invoke({"messages": [HumanMessage(words)]}, {"configurable": {"thread_id": conversation}})
    print(found["messages"][-1].text)
