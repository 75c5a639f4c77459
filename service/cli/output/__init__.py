"""What commands print: text, tables, a live board."""
