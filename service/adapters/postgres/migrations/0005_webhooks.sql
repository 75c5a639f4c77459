-- The outbox of webhooks: deliveries that are not made yet, and how far the stores of each mind were read for an
-- endpoint. An endpoint is of no mind; like a replica, it has a row of its own, which says who sends to it.
CREATE TABLE webhook_endpoints (
    name text PRIMARY KEY,
    since timestamptz NOT NULL,
    sender uuid,
    rests_until timestamptz,
    delivered bigint NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    error text,
    failed_at timestamptz
);

CREATE TABLE webhook_positions (
    mind_id text NOT NULL,
    endpoint text NOT NULL,
    source text NOT NULL,
    position text NOT NULL,
    PRIMARY KEY (mind_id, endpoint, source)
);

CREATE TABLE webhook_deliveries (
    mind_id text NOT NULL,
    id text NOT NULL,
    endpoint text NOT NULL,
    kind text NOT NULL,
    at timestamptz NOT NULL,
    body text NOT NULL,
    state smallint NOT NULL DEFAULT 0, -- 0: it waits, 1: it was given up
    attempts integer NOT NULL DEFAULT 0,
    due timestamptz, -- NULL: at once
    turn_id text,
    session_id text,
    number bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (mind_id, id)
);
CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (endpoint, state, number);

-- The endpoints that a replica has configured: one that no living replica has is forgotten.
ALTER TABLE replicas ADD COLUMN webhooks text[] NOT NULL DEFAULT '{}';
