"""Memory for a LiteLLM proxy. It lies beside config.yaml. Usage: litellm --config config.yaml."""

import os

from mind_memory_client import AsyncMemoryClient
from mind_memory_client.adapters.litellm import MemoryLogger

memory = MemoryLogger(AsyncMemoryClient(), mind=os.environ.get("MIND", "ada"))
