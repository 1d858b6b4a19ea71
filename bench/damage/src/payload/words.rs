//! Words, phrases and the small values that arguments are made of.

use serde_json::Value;

use crate::rng::Rng;

const WORDS: &[&str] = &[
    "alpha",
    "report",
    "invoice",
    "blue",
    "river",
    "cache",
    "retry",
    "garden",
    "market",
    "signal",
    "window",
    "paper",
    "quick",
    "silver",
    "engine",
    "north",
    "update",
    "branch",
    "coffee",
    "budget",
    "train",
    "music",
    "draft",
    "winter",
    "server",
    "lemon",
    "object",
    "value",
    "true story",
    "list",
    "null island",
    "return",
    "city",
    "Berlin",
    "Oslo",
    "New York",
    "São Paulo",
    "monthly",
    "team",
    "error",
    "user",
    "test",
    "and",
    "of",
];

pub(crate) fn word(rng: &mut Rng) -> &'static str {
    rng.pick(WORDS)
}

/// Two to five words.
pub(crate) fn phrase(rng: &mut Rng) -> String {
    let count = rng.between(1, 5);
    (0..count).map(|_| word(rng)).collect::<Vec<_>>().join(" ")
}

/// A sentence with the signs that prose has.
pub(crate) fn sentence(rng: &mut Rng) -> String {
    let first = phrase(rng);
    match rng.below(16) {
        0 => format!("Please check the {first}, then reply."),
        1 => format!("It's the {first} that doesn't work"),
        2 => format!("Note: {first} (see section {})", rng.between(1, 9)),
        3 => format!("Meeting at 12:{:02}; bring the {first}", rng.between(10, 59)),
        4 => format!("He said \"{first}\" and left."),
        5 => format!("Use {{{}}} for the {first}", word(rng)),
        6 => format!("First [{first}], second [{}]", word(rng)),
        7 => format!("{first}\n- {}\n- {}", phrase(rng), phrase(rng)),
        8 => format!("Costs {}% more, or $1,{:03}", rng.between(1, 99), rng.between(0, 999)),
        9 => format!("{first} -> {} => {}", word(rng), word(rng)),
        10 => format!("The \"{}\", \"{}\" and \"{first}\" options", word(rng), word(rng)),
        11 => format!("Is {first} ready? Yes! #{} @{}", rng.between(1, 400), rng.between(1, 9)),
        12 => format!("{first}... and so on"),
        13 => format!("a, b, c: {first}"),
        _ => format!("{first} for the {}", phrase(rng)),
    }
}

/// Text that looks like something else: literals, numbers, comments, fences, keys.
pub(crate) fn tricky(rng: &mut Rng) -> String {
    rng.pick(&[
        "",
        " ",
        "true",
        "null",
        "None",
        "42",
        "0x1F",
        "-1.5e3",
        "NaN",
        "undefined",
        "...",
        ",",
        ":",
        "{}",
        "[]",
        "// not a comment",
        "# heading",
        "/* kept */",
        "a \\ b",
        "C:\\temp\\new",
        "tab\there",
        "end\n",
        "\n\nstart",
        "say \"hi\"",
        "'quoted'",
        "`code`",
        "```json\n{\"a\": 1}\n```",
        "key: value",
        "{\"k\": \"v\"}",
        "[1, 2, 3]",
        "\"key\": 1,",
        "<tool_call>",
        "</think>",
        "{name}",
        "${HOME}/bin",
        "50% = half",
        "a => b",
        "x = 1; y = 2",
        "don't",
        "“smart”",
        "it’s",
        "trailing, ",
        " leading",
        "\\d+\\.\\w*",
        "\u{7}bell",
        "1,000",
        "a\u{a0}b",
        "\"",
        "'",
        "\\",
        "}",
        "]",
        "}}",
        "\"}",
        "\",",
        "path\": \"x",
    ])
    .into()
}

pub(crate) fn path(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => format!("C:\\Users\\{}\\{}.txt", identifier(rng), identifier(rng)),
        1 => format!("./{}/My {} (copy).md", identifier(rng), word(rng)),
        2 => format!("~/{}", identifier(rng)),
        3 => "README.md".into(),
        _ => format!(
            "/srv/{}/{}.{}",
            identifier(rng),
            identifier(rng),
            rng.pick(&["py", "rs", "ts", "json", "tar.gz"])
        ),
    }
}

pub(crate) fn url(rng: &mut Rng) -> String {
    let query = if rng.chance(50) {
        format!("?q={}&page={}#top", identifier(rng), rng.between(1, 9))
    } else {
        String::new()
    };
    format!("https://example.com:8080/{}/{}{query}", identifier(rng), identifier(rng))
}

pub(crate) fn email(rng: &mut Rng) -> String {
    format!("{}.{}@example.org", identifier(rng), identifier(rng))
}

pub(crate) fn pattern(rng: &mut Rng) -> String {
    rng.pick(&[
        "*.rs",
        "^\\s*def \\w+\\(",
        "TODO|FIXME",
        "foo[0-9]{2,3}",
        "\\bclass\\s+(\\w+)",
        "src/**/*.{ts,tsx}",
    ])
    .into()
}

pub(crate) fn command(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => format!("grep -rn \"{}\" src/ | head -{}", word(rng), rng.between(1, 50)),
        1 => format!("git commit -m '{}'", phrase(rng)),
        2 => format!("echo \"$HOME/{}\" && ls -la", identifier(rng)),
        3 => "awk '{print $1, $2}' data.csv > out.txt".into(),
        4 => format!("curl -s -H \"Accept: application/json\" {}", url(rng)),
        _ => format!("cargo test {} -- --nocapture", identifier(rng)),
    }
}

pub(crate) fn identifier(rng: &mut Rng) -> String {
    let parts = [
        "user", "main", "data", "src", "item", "node", "blob", "core", "temp", "api", "log", "old",
    ];
    let first = rng.pick(&parts);
    match rng.below(3) {
        0 => first.into(),
        1 => format!("{first}_{}", rng.pick(&parts)),
        _ => format!("{first}{}", rng.between(1, 99)),
    }
}

pub(crate) fn date(rng: &mut Rng) -> String {
    let day = format!("2026-{:02}-{:02}", rng.between(1, 12), rng.between(1, 28));
    if rng.chance(50) { format!("{day}T{:02}:30:00Z", rng.between(0, 23)) } else { day }
}

/// A short list of strings or numbers, now and then empty.
pub(crate) fn list(rng: &mut Rng) -> Value {
    let count = rng.below(5);
    match rng.below(4) {
        0 => (0..count).map(|_| Value::from(rng.between(0, 2000))).collect(),
        1 => (0..count).map(|_| Value::from(phrase(rng))).collect(),
        _ => (0..count).map(|_| Value::from(word(rng))).collect(),
    }
}

pub(crate) fn fraction(rng: &mut Rng) -> Value {
    digits(&format!(
        "{}.{}",
        rng.between(0, 300),
        rng.pick(&["5", "25", "125", "99", "0", "75", "001"])
    ))
}

/// A number of any kind that JSON has.
pub(crate) fn number(rng: &mut Rng) -> Value {
    let text = match rng.below(12) {
        0 => "0".into(),
        1 => rng.between(1, 9).to_string(),
        2 => format!("-{}", rng.between(1, 5000)),
        3 => rng.between(1000, 9_999_999).to_string(),
        4 => format!("{}.{:02}", rng.between(0, 999), rng.below(100)),
        5 => format!("-0.{:03}", rng.between(1, 999)),
        6 => format!("{}e{}", rng.between(1, 9), rng.between(2, 12)),
        7 => format!("{}.5E-{}", rng.between(1, 9), rng.between(2, 9)),
        8 => rng.pick(&["9007199254740993", "12345678901234567890", "-9223372036854775808"]).into(),
        9 => rng.pick(&["0.1", "3.141592653589793", "1e-7", "0.5", "-0.25"]).into(),
        _ => rng.between(10, 999).to_string(),
    };
    digits(&text)
}

/// The number with these digits.
pub(crate) fn digits(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Text in other scripts, with the signs that go wrong there.
pub(crate) fn foreign(rng: &mut Rng) -> String {
    let scripts = [
        "你好，世界：测试",
        "東京タワー（高さ333m）",
        "Привет, мир!",
        "مرحبا بالعالم، كيف الحال؟",
        "नमस्ते दुनिया",
        "Grüße aus Köln – schön",
        "voilà, c'est déjà l'été",
        "«Bonjour», dit-il",
        "“Curly” and ‘single’ quotes",
        "emoji 👩‍👩‍👧‍👦 and 🇳🇴 flags",
        "𝒳 = 𝔽(𝓎)",
        "e\u{301}gal",
        "a\u{a0}b\u{2028}c",
        "zero\u{200b}width",
        "🎉🎉",
        "señor \"Ñandú\"",
        "日本語\n改行",
        "tab\tтаб",
        "Ω ≈ 3.14 ≠ π",
        "שלום, עולם",
        "naïve café №5",
        "„Zitat“",
        "한국어: 값",
    ];
    let mut text = String::from(rng.pick(&scripts));
    while rng.chance(40) {
        text.push(' ');
        text.push_str(rng.pick(&scripts));
    }
    text
}
