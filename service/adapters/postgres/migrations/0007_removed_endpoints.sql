-- Since when no living service has an endpoint any more; NULL where one has it. Its events wait for a while, in case it
-- comes back.
ALTER TABLE webhook_endpoints ADD COLUMN removed_at timestamptz;
