//! Calls that write files: a path and a long content in one of several languages.

use serde_json::{Map, Value, json};

use super::words;
use crate::rng::Rng;

/// Fills the arguments of a call that writes or edits a file.
pub(crate) fn call(members: &mut Map<String, Value>, bytes: usize, rng: &mut Rng) {
    let language = rng.pick(&["python", "javascript", "json", "html", "bash", "markdown", "rust"]);
    let ending = rng.pick(&["", "\n"]);
    let room = bytes.saturating_sub(60).max(20);
    let content = format!("{}{ending}", source(language, room, rng));
    let path = format!("src/{}.{}", words::identifier(rng), extension(language));
    let call = match rng.below(5) {
        0 => json!({ "content": content, "path": path }),
        1 => json!({ "path": path, "content": content, "overwrite": rng.chance(50) }),
        2 => json!({
            "file_path": path, "old_string": source(language, 30, rng), "new_string": content, "replace_all": false,
        }),
        3 => {
            json!({ "command": "create", "path": path, "file_text": content, "mode": null, "line": rng.between(1, 90) })
        }
        _ => json!({ "path": path, "content": content }),
    };
    if let Value::Object(call) = call {
        members.extend(call);
    }
}

fn extension(language: &str) -> &'static str {
    match language {
        "python" => "py",
        "javascript" => "js",
        "json" => "json",
        "html" => "html",
        "bash" => "sh",
        "rust" => "rs",
        _ => "md",
    }
}

/// Source text of about this many bytes as JSON would write it, without a line break at the end.
pub(crate) fn source(language: &str, bytes: usize, rng: &mut Rng) -> String {
    if language == "json" {
        let value = super::payload(super::Family::Nested, (bytes * 4 / 5).max(20), rng);
        return format!("{value:#}");
    }
    let mut text = String::new();
    while text.len() + text.len() / 8 + 40 < bytes || text.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block(language, rng));
    }
    text
}

fn block(language: &str, rng: &mut Rng) -> String {
    match language {
        "python" => python(rng),
        "javascript" => javascript(rng),
        "html" => html(rng),
        "bash" => shell(rng),
        "rust" => rust(rng),
        _ => markdown(rng),
    }
}

fn python(rng: &mut Rng) -> String {
    let (name, text, n) = (words::identifier(rng), words::phrase(rng), rng.between(1, 99));
    match rng.below(7) {
        0 => format!(
            "def {name}(x, y={n}):\n    \"\"\"Return the {text}.\"\"\"\n    return x[\"{name}\"] + y\n"
        ),
        1 => format!("print(f\"{text}: {{{name}}}\")"),
        2 => format!("{name} = {{'a': {n}, 'b': [1, 2, 3]}}  # {text}"),
        3 => format!("if __name__ == '__main__':\n    {name}(\"{text}\", {n})\n"),
        4 => format!("import re\nPATTERN = re.compile(r'^\\s*{name}\\d+\\.(\\w+)$')\n"),
        5 => format!("with open(\"{name}.txt\", 'w') as f:\n\tf.write('it\\'s {text}\\n')\n"),
        _ => format!(
            "class {name}:\n    def __init__(self):\n        self.items = []  # don't share\n"
        ),
    }
}

fn javascript(rng: &mut Rng) -> String {
    let (name, text, n) = (words::identifier(rng), words::phrase(rng), rng.between(1, 99));
    match rng.below(6) {
        0 => format!("const {name} = (a, b) => {{ return a + \"{text}\" + b; }};"),
        1 => format!("console.log(`{text} ${{{name}}}`);"),
        2 => format!("import {{ {name} }} from './{name}.js';"),
        3 => format!(
            "// {text}\nif ({name} !== null && {name}[\"key\"] === {n}) {{\n  {name} = {{ \"a\": {n}, b: 'x' }};\n}}"
        ),
        4 => format!("/* {text}, \"{name}\": {n} */"),
        _ => format!("export default {{ {name}: {n}, text: \"{text}\\n\", re: /\\/+\\d/g }};"),
    }
}

fn html(rng: &mut Rng) -> String {
    let (name, text, n) = (words::identifier(rng), words::phrase(rng), rng.between(1, 99));
    match rng.below(5) {
        0 => format!("<div class=\"{name} box\" id='b{n}'>\n  <p>{text}</p>\n</div>"),
        1 => format!("<a href=\"https://example.com/?a={n}&amp;b=2\">{text}</a>"),
        2 => format!("<style>\n  .{name} {{ color: #fff; margin: 0 {n}px; }}\n</style>"),
        3 => format!("<script>\n  var x = {{\"{name}\": {n}}}; // {text}\n</script>"),
        _ => format!("<!-- {text}, it's \"{name}\" -->"),
    }
}

fn shell(rng: &mut Rng) -> String {
    let (name, text, n) = (words::identifier(rng), words::phrase(rng), rng.between(1, 99));
    match rng.below(5) {
        0 => format!("#!/bin/sh\nset -e\n# {text}\n"),
        1 => format!("for f in *.{{txt,md}}; do echo \"$f: {text}\"; done"),
        2 => format!("if [ \"${{{name}:-}}\" = '{n}' ]; then\n\texit {n}\nfi"),
        3 => format!("sed -e 's/\\({name}\\)/\\1_{n}/g' \"$1\" | awk '{{ print $2 }}'"),
        _ => format!("cat <<'EOF' > {name}.json\n{{\"{name}\": \"{text}\", \"n\": {n}}}\nEOF"),
    }
}

fn rust(rng: &mut Rng) -> String {
    let (name, text, n) = (words::identifier(rng), words::phrase(rng), rng.between(1, 99));
    match rng.below(4) {
        0 => format!(
            "fn {name}(x: &str) -> Option<u32> {{\n    println!(\"{text}: {{x}}\");\n    Some({n})\n}}"
        ),
        1 => format!("let {name} = vec![\"{text}\", \"b\"]; // {n}"),
        2 => format!(
            "match c {{\n    '\"' => \"quote\",\n    '\\'' => \"{text}\",\n    _ => \"\\n\",\n}}"
        ),
        _ => format!("#[derive(Debug)]\nstruct {name} {{ a: [u8; {n}], b: &'static str }}"),
    }
}

fn markdown(rng: &mut Rng) -> String {
    let (name, text, n) = (words::identifier(rng), words::phrase(rng), rng.between(1, 99));
    match rng.below(5) {
        0 => format!("# {text}\n\nSee [{name}](https://example.com/{name}) for *more*.\n"),
        1 => format!("```json\n{{\"{name}\": {n}}}\n```\n"),
        2 => format!("- {text}\n- \"{name}\", 'it' & `code`\n- [ ] {n}. todo\n"),
        3 => format!("| a | b |\n|---|--:|\n| {name} | {n} |\n"),
        _ => format!("> {text}: it's {n}% done, {{see}} below.\n"),
    }
}
