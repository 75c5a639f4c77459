"""Finding secrets in what people say, and replacing them before anything is stored."""
