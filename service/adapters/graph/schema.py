"""
What a graph is made with before the first episode: Graphiti's indexes without their defects, ours, and a sentinel.

* No full text: ours stands beside the mind (``recall/text_index.py``); vectors are indexed when they are many.
* Dates stay unindexed: FalkorDB ignores ``<`` and ``<=`` on range-indexed strings.
* An entity's name has its vector on a node of its own, too: FalkorDB takes out of a vector index and puts in anew
  whatever is written to, and what is told of an entity changes in every turn that mentions it.
* The first node is a sentinel: after a reload, edges of the node with id 0 vanish from indexed scans.
"""

from __future__ import annotations

SENTINEL = "MERGE (s:Sentinel {name: 'first'})"
HARMLESS = ("already indexed", "Stopwords are already set", "already exists")

NAME = "MERGE (x:Name {uuid: n.uuid}) SET x.embedding = n.name_embedding"  # of an entity n
NAMELESS = f"""
MATCH (n:Entity) WHERE n.name_embedding IS NOT NULL
OPTIONAL MATCH (x:Name {{uuid: n.uuid}})
WITH n, x WHERE x IS NULL
WITH n
LIMIT 1000
{NAME}
RETURN count(x)
"""

INDEXES = (
    "CREATE INDEX FOR (n:Entity) ON (n.uuid, n.group_id, n.name)",
    "CREATE INDEX FOR (n:Episodic) ON (n.uuid, n.group_id)",
    "CREATE INDEX FOR (n:Community) ON (n.uuid, n.group_id)",
    "CREATE INDEX FOR (n:Saga) ON (n.uuid, n.group_id, n.name)",
    "CREATE INDEX FOR ()-[e:RELATES_TO]-() ON (e.uuid, e.group_id, e.name)",
    "CREATE INDEX FOR ()-[e:MENTIONS]-() ON (e.uuid, e.group_id)",
    "CREATE INDEX FOR (p:Passage) ON (p.uuid, p.episode, p.sequence)",
    "CREATE INDEX FOR (x:Name) ON (x.uuid)",
    "CREATE INDEX FOR (c:Cursor) ON (c.name)",
    "CREATE INDEX FOR (p:Parked) ON (p.sequence)",
)
