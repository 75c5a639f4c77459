-- What minds are made of: whole files, what was appended to them since, and turns. A version is minds.version at the
-- row's last change: whoever has everything up to a version asks for what is above it.
CREATE TABLE files (
    mind_id text NOT NULL,
    path text NOT NULL,
    version bigint NOT NULL,
    content bytea, -- NULL: it was removed
    PRIMARY KEY (mind_id, path)
);
CREATE INDEX files_by_version ON files (mind_id, version);

CREATE TABLE appended (
    mind_id text NOT NULL,
    path text NOT NULL,
    number bigint NOT NULL,
    version bigint NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (mind_id, path, number)
);
CREATE INDEX appended_by_version ON appended (mind_id, version);

CREATE TABLE turns (
    mind_id text NOT NULL,
    sequence bigint NOT NULL,
    turn_id text NOT NULL, -- of an erased turn, its digest
    version bigint NOT NULL,
    line bytea NOT NULL, -- as in the transcript, with its checksum
    PRIMARY KEY (mind_id, sequence),
    UNIQUE (mind_id, turn_id)
);
CREATE INDEX turns_by_version ON turns (mind_id, version);

-- When something of a mind was erased last, and since when a replica has nothing of what was erased before.
ALTER TABLE minds ADD COLUMN erased_at timestamptz;
CREATE INDEX minds_by_erasure ON minds (erased_at) WHERE erased_at IS NOT NULL;
ALTER TABLE replicas ADD COLUMN clean_since timestamptz;
ALTER TABLE replicas DROP COLUMN seen_generation;
