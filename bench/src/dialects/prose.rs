//! Answers without a call in them.

use damage::Rng;
use serde_json::{Value, json};

/// Makes a paragraph.
type Paragraph = fn(&mut Rng) -> String;

/// A kind of answer, and how a paragraph of it is made.
pub(super) const KINDS: &[(&str, Paragraph)] = &[
    ("English prose", english),
    ("Chinese prose", chinese),
    ("Markdown with code", markdown),
    ("HTML-heavy code", html),
    ("JSON, pretty", json_pretty),
    ("JSON lines", json_line),
];

/// An answer of about so many bytes.
pub(super) fn answer(paragraph: Paragraph, bytes: usize, seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text = String::with_capacity(bytes + 1024);
    while text.len() < bytes {
        text.push_str(&paragraph(&mut rng));
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

const SUBJECTS: &[&str] = &[
    "The harbour",
    "An early version of the report",
    "Most of what the committee heard",
    "Her second letter",
    "The river in spring",
    "A loop like this one",
    "Every reader of the log",
    "The function that you call first",
    "Tool support in the editor",
    "In practice the cache",
];
const VERBS: &[&str] = &[
    "was never quite what people had expected",
    "turns out to matter more than the price",
    "takes about 40 ms on a cold start, and less than 3 ms after that",
    "had been moved (twice, according to the minutes) before anyone noticed",
    "depends on whether the list is sorted",
    "keeps its shape even when the load doubles",
    "shows up in the profile as soon as x < 10 or so",
    "is described in the appendix; see also section 4.2",
    "reads well, though \"clear\" is not the word I would use",
];
const ENDS: &[&str] = &[
    ", so we left it as it was.",
    ". That is the short answer.",
    ", which explains the difference between the two figures.",
    "; nothing else changed.",
    " - at least for now.",
    ", and it is worth a closer look.",
];

fn sentence(rng: &mut Rng) -> String {
    [rng.pick(SUBJECTS), " ", rng.pick(VERBS), rng.pick(ENDS)].concat()
}

fn sentences(rng: &mut Rng, low: usize, high: usize) -> String {
    let count = rng.between(low, high);
    (0..count).map(|_| sentence(rng)).collect::<Vec<_>>().join(" ")
}

fn english(rng: &mut Rng) -> String {
    sentences(rng, 3, 7) + "\n\n"
}

const CHINESE: &[&str] = &[
    "这个问题可以从两个方面来看。",
    "首先，我们需要确认数据的来源是否可靠，",
    "其次，处理的顺序会直接影响最后的结果。",
    "根据上个月的统计，平均响应时间下降了百分之十二，",
    "但是在高峰时段仍然存在明显的波动。",
    "如果您希望进一步优化，可以考虑增加缓存的容量，",
    "或者把不常用的内容移到后台处理。",
    "函数的返回值应当在调用之前检查一遍。",
    "总的来说，这种做法既简单又稳妥，",
    "值得在下一个版本中继续采用。",
    "北京今天多云，最高气温二十三度，东北风三级。",
];

fn chinese(rng: &mut Rng) -> String {
    let count = rng.between(4, 10);
    (0..count).map(|_| rng.pick(CHINESE)).collect::<String>() + "\n\n"
}

const CODE: &[&str] = &[
    "```python\ndef load(path, limit=10):\n    rows = []\n    with open(path) as file:\n        for line in file:\n            if len(rows) < limit:\n                rows.append(line.strip().split(\",\"))\n    return rows\n```\n\n",
    "```rust\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n    let map: HashMap<String, Vec<u8>> = HashMap::new();\n    for (key, value) in &map {\n        println!(\"{key}: {}\", value.len());\n    }\n    Ok(())\n}\n```\n\n",
    "```bash\ncd build && cmake .. -DCMAKE_BUILD_TYPE=Release\nmake -j4 2>&1 | tee log.txt\nif [ $? -ne 0 ]; then echo \"failed\" >&2; fi\n```\n\n",
    "```json\n{\n  \"version\": 2,\n  \"paths\": [\"src\", \"lib\"],\n  \"strict\": true\n}\n```\n\n",
    "```c\n#include <stdio.h>\n\nint main(void) {\n    for (int i = 0; i < 10; i++) {\n        printf(\"%d\\n\", i << 1);\n    }\n    return 0;\n}\n```\n\n",
];

fn markdown(rng: &mut Rng) -> String {
    match rng.below(6) {
        0 => format!("## {}\n\n", rng.pick(SUBJECTS)),
        1 => {
            let items = (0..rng.between(2, 5))
                .map(|_| format!("- **{}** {}\n", rng.pick(SUBJECTS), rng.pick(VERBS)));
            items.collect::<String>() + "\n"
        }
        2 => {
            let items = (1..=rng.between(2, 5)).map(|at| {
                format!(
                    "{at}. Open `config.toml` and set `{}`: {}\n",
                    rng.pick(&["retries", "timeout", "[server]", "x = 1"]),
                    rng.pick(VERBS)
                )
            });
            items.collect::<String>() + "\n"
        }
        3 => format!(
            "| name | value |\n|---|---|\n| {} | {} |\n| `a` | [link](https://example.com/a?b=1) |\n\n",
            rng.pick(SUBJECTS),
            rng.below(1000)
        ),
        4 => rng.pick(CODE).to_string(),
        _ => sentences(rng, 1, 4) + "\n\n",
    }
}

fn html(rng: &mut Rng) -> String {
    let id = rng.below(100_000);
    match rng.below(4) {
        0 => format!(
            "<section class=\"card\" id=\"c{id}\">\n  <h2>{}</h2>\n  <p>{} <b>{id}</b> <a href=\"/item/{id}\">more</a></p>\n</section>\n",
            rng.pick(SUBJECTS),
            rng.pick(VERBS),
        ),
        1 => {
            let cells = (0..rng.between(2, 6)).map(|at| {
                format!(
                    "    <tr><td>{at}</td><td>{}</td><td><code>&lt;x&gt;</code></td></tr>\n",
                    rng.pick(SUBJECTS)
                )
            });
            format!("<table>\n  <tbody>\n{}  </tbody>\n</table>\n", cells.collect::<String>())
        }
        2 => format!(
            "<script>\n  const list = document.querySelectorAll('li');\n  for (let i = 0; i < list.length; i++) {{\n    list[i].innerHTML = `<span class=\"n\">${{i + {id}}}</span>`;\n  }}\n</script>\n"
        ),
        _ => format!(
            "<form action=\"/save\" method=\"post\">\n  <label for=\"n{id}\">Name</label> <input id=\"n{id}\" name=\"name\" value=\"\"/>\n  <select name=\"kind\"><option value=\"1\">One</option><option value=\"2\">Two</option></select>\n  <button type=\"submit\">Save</button>\n</form>\n"
        ),
    }
}

fn record(rng: &mut Rng) -> Value {
    json!({
        "id": rng.below(1_000_000),
        "title": rng.pick(SUBJECTS),
        "note": sentence(rng),
        "score": rng.below(1000) as f64 / 10.0,
        "tags": [rng.pick(&["new", "old", "draft"]), rng.pick(&["red", "green"])],
        "owner": { "name": rng.pick(&["Ada", "Lin", "Omar"]), "active": rng.chance(50) },
    })
}

fn json_pretty(rng: &mut Rng) -> String {
    let records: Vec<Value> = (0..rng.between(2, 5)).map(|_| record(rng)).collect();
    serde_json::to_string_pretty(&records).unwrap_or_default() + "\n\n"
}

fn json_line(rng: &mut Rng) -> String {
    record(rng).to_string() + "\n"
}
