-- Which threads of Zep's API are in which mind, each by a digest of its id. Its calls name a thread and no mind, so there
-- is an index by thread. The key begins with the mind's id all the same: a mind is erased in one transaction.
CREATE TABLE threads (
    mind_id text NOT NULL,
    thread bytea NOT NULL,
    PRIMARY KEY (mind_id, thread)
);
CREATE INDEX threads_by_digest ON threads (thread, mind_id);
