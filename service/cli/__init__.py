"""The command line: every command talks to a running service, or opens the home itself where none runs."""
