"""Memory as MCP tools: written once, as thin calls on our HTTP API; stdio and `/mcp` differ in how they reach it."""
