"""The HTTP API: routes, schemas, middleware, problems, metrics."""
