-- Which graphs a replica writes to, and since when: services on one database have to use the same ones.
ALTER TABLE replicas ADD COLUMN graph uuid, ADD COLUMN graph_since timestamptz;
