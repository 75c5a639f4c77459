-- The minds whose stories a replica writes just now: whoever is asked for a run of one waits for its end.
ALTER TABLE replicas ADD COLUMN narrates text[] NOT NULL DEFAULT '{}';
