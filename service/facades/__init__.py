"""Other memories' APIs, served by this one: their clients go on with another address. Off until switched on."""
