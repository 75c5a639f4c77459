-- When a mind was last added to those that exist, or taken from them: whoever has listed them asks for what is newer.
ALTER TABLE minds ADD COLUMN listed_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX minds_by_listing ON minds (listed_at);
