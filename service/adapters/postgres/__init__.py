"""PostgreSQL, where it holds the truth for several replicas. The only package that imports psycopg."""
