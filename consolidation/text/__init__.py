"""What a text is made of: words, sentences, names, language, tokens; and what of it is noise."""
