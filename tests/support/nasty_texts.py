"""Texts that have broken search engines: operators, scripts, invisible letters, lengths. Two hundred and more."""

NASTY = (
    # operators of RediSearch, FTS5, Lucene, Cypher, SQL
    "-", "--", "---", "-negated word", "a -b", "~optional", "@field:value", "@group_id:\"g\"", "%fuzzy%", "%%two%%",
    "wild*", "*card", "(open", "close)", "[1 10]", "{tag}", "a|b", "a | | b", "\"quoted phrase\"", "\"unbalanced",
    "'single'", "=>{$weight:5}", "$param", "a AND b OR NOT c", "NEAR(a b, 5)", "col:word", "^boost", "a^2", "~1",
    "\\escaped\\", "back\\slash", "semi;colon", "a&&b", "!bang", "<less> &amp; more", "'; DROP TABLE users; --",
    "MATCH (n) DETACH DELETE n", "*", "()", "\"\"", "@", "|", "%", "?", "word?", "a,b;c", "#hashtag", "/path/to/file",
    # underscores, hyphens, ids, dates, numbers
    "_", "__", "___ _ __", "__init__", "snake_case_name", "_emphasis_", "*bold* _it_", "Jean-Luc Picard",
    "mother-in-law", "Smith–Jones", "Müller—Lüdenscheidt", "non\u2011breaking\u2011hyphen", "2024-01-15", "15.01.2024",
    "01/15/24", "12:30:59", "2024-01-15T12:30:59Z", "-1001234567890", "+49 170 1234567", "3.14159", "1,000,000", "$9.99",
    "50%", "TICKET-1234", "550e8400-e29b-41d4-a716-446655440000", "0xDEADBEEF", "v1.2.3-rc.1", "C++", "C#", ".NET",
    "node.js", "a.b@c.example", "https://example.org/?q=a+b&c=%20d#e", "192.168.0.1", "½ cup", "x² + y³", "①②③", "Ⅻ",
    # spaces and invisible things
    "line\nbreak", "carriage\r\nreturn", "tab\tbed", "no\u00a0break", "thin\u2009space", "ideographic\u3000space",
    "line\u2028separator", "zero\u200bwidth", "join\u200der", "non\u200cjoiner", "soft\u00adhyphen", "\ufeffbom",
    "left\u200emark", "\u202eoverride\u202c", "nul\0byte", "\x01\x02control\x1f", "del\x7fete", "bell\x07", "\0",
    "\ud800 lone high", "lone low \udfff", "\ud800", "a\ud83d", "\U0010ffff noncharacter", "\ue000 private", "",
    " ", "\n\n", "\u00a0",
    # apostrophes
    "Caroline's", "CAROLINE’S", "don't", "don’t", "don´t", "rock'n'roll", "O'Brien's", "James' book", "'tis", "l'homme",
    "п'ять", "5'10\"", "1990's", "'''", "it's's",
    # scripts
    "咖啡", "我喜欢喝咖啡", "好", "東京スカイツリー", "コーヒーを飲む", "ｺｰﾋｰ", "ひらがな", "안녕하세요 세계", "สวัสดีครับ", "น้ำ",
    "ພາສາລາວ", "ភាសាខ្មែរ", "မြန်မာဘာသာ", "नमस्ते दुनिया", "தமிழ்", "বাংলা", "শ্রী", "مرحبا بالعالم", "أَحْمَدُ", "محمّد",
    "می‌خواهم", "שָׁלוֹם", "צה״ל", "Привет Мир", "ёлка", "Київ", "ΟΔΟΣ οδός", "Ωμέγα", "ქართული", "Հայերեն", "ትግርኛ",
    "ᏣᎳᎩ", "İstanbul ISPARTA ılık", "Straße STRASSE", "ﬁnal ofﬁce", "Ｆｕｌｌ　Ｗｉｄｔｈ", "𝕄𝕒𝕥𝕙 𝓼𝓬𝓻𝓲𝓹𝓽", "ǅ titlecase",
    "José", "Jose\u0301", "Łódź", "Ærø", "phở", "Z̷̢̛͍a̵̧l̶̡g̴o̸", "iPhone15が好き", "mixed中文text",
    # emoji, and long things
    "👍", "👨‍👩‍👧‍👦", "❤️", "1️⃣", "🇩🇪", "love ❤️ it", "pizza🍕time", ":-)", "¯\\_(ツ)_/¯", "x" * 300, "_" * 70 + "a",
    "a" + "\u0301" * 300, "好" * 300, " ".join(f"word{n}" for n in range(100)), "a" * 63 + "_b", "-".join("abc" * 30),
    # more of the same: words alone that mean something to an engine, and texts of a length that breaks one
    "NEAR(", "NEAR", "AND", "OR", "NOT", "own:", "own : word", "{own asked} : word", "-own:word", "^own", "a*", "\"a\" * b",
    "rowid:1", "rank", "turn_words", "stems MATCH 'x'", "x' OR '1'='1", "\\", "\\\"", "a\"b", "; --", "/* note */", "a+b", "a:b:c",
    "“typographic” quotes", "„unten und oben“", "«guillemets»", "‹single›", "‚low’ high", "—dash—between—", "…ellipsis…",
    "the and of to", "who are you", "der die das", "и в не на", "それは", "first line\r\n\r\n\tsecond line\x0b\x0cthird", "\x1b[31mred\x1b[0m",
    " ".join(f"token{n}" for n in range(63)), " ".join(f"token{n}" for n in range(64)), " ".join(f"token{n}" for n in range(65)),
    " ".join(f"longer{n}" for n in range(301)), "\n".join(f"line{n}" for n in range(320)), "y" * 300 + " " + "z" * 300,
    " ".join("the quick brown fox".split() * 100), "語" * 64 + "文", "ก" * 300, "가" * 300, "ا" * 300,
    "Marie-Claire d'Aubigné-Łuk", "Anne–Sophie", "O’Neill-O'Shea", "2026-11-21", "21/11/2026", "21. November 2026", "12:05",
    "chat:-100123:42", "usr_0042-x", "A1B2-C3D4", "#00ff00", "@ann_b", "ann+b@mail.example", "🙂🙃", "👩🏽‍🚀 in space", "🏳️‍🌈",
    "ÀÉÎÕÜ", "naïve façade", "Ångström", "İzmir’de", "ÇAĞRI", "Đà Nẵng", "Ελλάδα ΕΛΛΆΔΑ", "МОСКВА", "їжак ЇЖАК", "Ґанок",
    "كِتَابٌ", "ٱلْعَرَبِيَّةُ", "كـــتاب", "١٢٣٤", "עִבְרִית", "ירושלים", "हिन्दी में लिखा", "क्षत्रिय", "१२३", "ਪੰਜਾਬੀ", "తెలుగు", "ქალაქი",
    "咖啡店在哪里", "東京都庁", "ばなな", "カタカナ", "ガギグ", "サッカー部", "ภาษาไทย", "ที่นี่", "한국어로 말해요", "サ変名詞です。", "𞤀𞤁𞤂", "𐓏𐓘", "𠮷野家", "〇", "٪٪",
)  # fmt: skip
