"""OpenAI's chat API with a memory in it: what surfaces goes into the chat, and what is said is kept."""
