"""Every sentence a model reads: templates that a person may edit, and the shapes models answer in. A leaf."""
