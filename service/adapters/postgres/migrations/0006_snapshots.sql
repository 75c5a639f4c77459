-- Full text of a mind, as a service had made it up to a turn: another service begins with it, and reads on. What was
-- made before something of the mind was erased, under another generation, is of no use, and is deleted.
CREATE TABLE snapshots (
    mind_id text PRIMARY KEY,
    generation bigint NOT NULL,
    format integer NOT NULL,
    reach bigint NOT NULL, -- the last turn that it has
    content bytea NOT NULL
);
