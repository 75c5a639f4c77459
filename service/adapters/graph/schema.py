"""
What a graph is made with before the first episode: Graphiti's indexes without their defects, ours, and a sentinel.

* No full text: ours stands beside the mind (``recall/text_index.py``); vectors are indexed when they are many.
* Dates stay unindexed: FalkorDB ignores ``<`` and ``<=`` on range-indexed strings.
* The first node is a sentinel: after a reload, edges of the node with id 0 vanish from indexed scans.
"""

from __future__ import annotations

SENTINEL = "MERGE (s:Sentinel {name: 'first'})"
HARMLESS = ("already indexed", "Stopwords are already set", "already exists")

INDEXES = (
    "CREATE INDEX FOR (n:Entity) ON (n.uuid, n.group_id, n.name)",
    "CREATE INDEX FOR (n:Episodic) ON (n.uuid, n.group_id)",
    "CREATE INDEX FOR (n:Community) ON (n.uuid, n.group_id)",
    "CREATE INDEX FOR (n:Saga) ON (n.uuid, n.group_id, n.name)",
    "CREATE INDEX FOR ()-[e:RELATES_TO]-() ON (e.uuid, e.group_id, e.name)",
    "CREATE INDEX FOR ()-[e:MENTIONS]-() ON (e.uuid, e.group_id)",
    "CREATE INDEX FOR (p:Passage) ON (p.uuid, p.episode, p.sequence)",
    "CREATE INDEX FOR (c:Cursor) ON (c.name)",
    "CREATE INDEX FOR (p:Parked) ON (p.sequence)",
)
