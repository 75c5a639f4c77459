"""Memory as MCP tools: thin calls on our own HTTP API. stdio and `/mcp` differ only in how they reach it."""
