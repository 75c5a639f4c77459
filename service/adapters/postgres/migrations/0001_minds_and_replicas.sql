-- Minds, with who has the custody of each, and the replicas that are alive. Every key begins with the mind's id.
CREATE TABLE minds (
    mind_id text PRIMARY KEY,
    state smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    last_sequence bigint NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 0,
    generation bigint NOT NULL DEFAULT 0,
    owner uuid,
    epoch bigint NOT NULL DEFAULT 0,
    has_work boolean NOT NULL DEFAULT false
);
CREATE INDEX minds_with_work ON minds (mind_id) WHERE has_work;

CREATE TABLE replicas (
    replica uuid PRIMARY KEY,
    alive_until timestamptz NOT NULL,
    seen_generation bigint NOT NULL DEFAULT 0
);
