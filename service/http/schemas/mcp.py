"""Examples of an MCP message and its answer. A test compares them with a live service."""

from __future__ import annotations

from typing import Any

from service.http.schemas.examples import SAID

MCP_ASKED: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "remember", "arguments": {"query": "Where does my mother live?", "kinds": ["episode"]}},
}
MCP_TOLD: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {
        "content": [
            {
                "type": "text",
                "text": f"1. [episode, told 2026-01-09 18:30 UTC] {SAID} (id episode:1)\n"
                "   source: 2026-01-09 18:30 UTC, session …",
            }
        ],
        "structuredContent": {
            "mind": "global-user-memory",
            "memories": [
                {
                    "id": "episode:1",
                    "kind": "episode",
                    "text": SAID,
                    "occurred_at": "2026-01-09T18:30:05Z",
                    "score": 1.0,
                    "is_contradicted": False,
                    "corrections": [],
                    "sources": [
                        {
                            "timestamp": "2026-01-09T18:30:05Z",
                            "session_id": "telegram:42",
                            "turn_id": "2026-01-09-0001",
                            "excerpt": SAID,
                        }
                    ],
                }
            ],
            "degraded": [],
        },
        "isError": False,
    },
}
