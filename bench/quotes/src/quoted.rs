//! Turns that quote a call: one row for each way to do so.

use damage::{Rng, mix};
use serde_json::{Value, json};
use toolmend_dialect::{Dialect, dialects};

use crate::Turn;
use crate::call::{GENUINE, QUOTED, Subject, Written};
use crate::draw::Draw;
use crate::phrases::{Half, Language, Phrases};
use crate::wrap;

/// A way to quote a call.
struct Category {
    id: &'static str,
    mix: Mix,
    write: Write,
}

/// Writes a turn around a quoted call, or finds that this dialect is not quoted so.
type Write = fn(&mut Draw<'_>, &Written) -> Option<Draft>;

/// Whether a genuine call may stand beside the quoted one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mix {
    Both,
    Always,
    Never,
}

/// A turn so far.
#[derive(Default)]
struct Draft {
    messages: Vec<Value>,
    content: String,
    reasoning: String,
}

const fn category(id: &'static str, write: Write) -> Category {
    Category { id, mix: Mix::Both, write }
}

const CATEGORIES: &[Category] = &[
    category("prose", |draw, call| {
        let template = draw.phrase("inline");
        content(wrap::sentence(draw, template, &call.text))
    }),
    category("fence", |draw, call| {
        let lead = draw.phrase_of_any(&["explain", "format", "example"]);
        let fence = wrap::fence(draw, &call.text);
        content(format!("{lead}\n\n{fence}"))
    }),
    category("fence-then-disclaimer", |draw, call| {
        let fence = wrap::fence(draw, &call.text);
        content(format!("{fence}\n\n{}", draw.phrase("disclaimer")))
    }),
    category("backticks", |draw, call| {
        let template = draw.phrase("inline");
        let span = wrap::code_span(draw, &call.text);
        content(template.replacen("{}", &span, 1))
    }),
    category("block-quote", |draw, call| {
        let lead = draw.phrase_of_any(&["reported", "lead", "neutral"]);
        content(format!("{lead}\n\n{}", wrap::block_quote(&call.text)))
    }),
    category("quotation-marks", |draw, call| {
        if call.text.contains("```") {
            return None;
        }
        let template = draw.phrase("inline");
        let quotation = wrap::quotation(draw, &call.text);
        content(wrap::sentence(draw, template, &quotation))
    }),
    category("example", |draw, call| introduced(draw, "example", call)),
    category("format", |draw, call| introduced(draw, "format", call)),
    category("warning", |draw, call| introduced(draw, "warning", call)),
    category("refusal", |draw, call| introduced(draw, "refusal", call)),
    category("possibility", |draw, call| {
        let template = draw.phrase("possible");
        content(wrap::sentence(draw, template, &call.text))
    }),
    category("reported", |draw, call| introduced(draw, "reported", call)),
    category("disclaimer", |draw, call| {
        let gap = draw.line_end();
        content(format!("{}{gap}{}", call.text, draw.phrase("disclaimer")))
    }),
    category("echo-of-user", |draw, call| {
        let question = draw.phrase("question");
        echo(draw, call, vec![user(&format!("{question}\n\n{}", call.text))])
    }),
    category("echo-of-tool", |draw, call| {
        let result = format!("1 of 3\n{}\n2 of 3", call.text);
        let messages = vec![user(draw.phrase("question")), answer(&result)];
        echo(draw, call, messages)
    }),
    category("echo-of-file", |draw, call| {
        let file = format!("# Notes\n\n{}\n\n- milk\n- {}\n", call.text, draw.phrase("after"));
        let block = json!({ "type": "tool_result", "tool_use_id": "toolu_7",
            "content": [{ "type": "text", "text": file }] });
        let result = json!({ "role": "user", "content": [block] });
        let messages = vec![user(draw.phrase("question")), result];
        echo(draw, call, messages)
    }),
    category("echo-of-json", |draw, call| {
        let result = json!({ "path": "notes.md", "text": format!("{}\n", call.text) });
        let messages = vec![user(draw.phrase("question")), answer(&result.to_string())];
        echo(draw, call, messages)
    }),
    Category {
        id: "reasoning-beside-call",
        mix: Mix::Always,
        write: |draw, call| {
            let template = draw.phrase("reasoning");
            let reasoning = wrap::sentence(draw, template, &call.text);
            Some(Draft { reasoning, ..Draft::default() })
        },
    },
    Category {
        id: "reasoning-quoted",
        mix: Mix::Never,
        write: |draw, call| {
            let template = draw.phrase("possible");
            let reasoning = wrap::sentence(draw, template, &call.text);
            Some(Draft { reasoning, content: draw.phrase("after").to_owned(), ..Draft::default() })
        },
    },
    Category {
        id: "reasoning-without-marks",
        mix: Mix::Never,
        write: |draw, call| {
            if call.dialect.is_marked() {
                return None;
            }
            let thought = draw.phrase("thought");
            let reasoning = wrap::led(draw, thought, &call.text);
            Some(Draft { reasoning, content: draw.phrase("after").to_owned(), ..Draft::default() })
        },
    },
];

/// The category whose calls hold a placeholder instead of a value.
const PLACEHOLDER: Category = category("placeholder", |draw, call| {
    let lead = draw.phrase_of_any(&["lead", "announce", "neutral"]);
    content(wrap::led(draw, lead, &call.text))
});

/// Every way to quote in every dialect and language, alone and beside a genuine call.
pub fn quoted(half: Half, seed: u64) -> impl Iterator<Item = Turn> {
    let phrases = Phrases::of(half);
    let mut turns = Vec::new();
    for (row, category) in CATEGORIES.iter().chain([&PLACEHOLDER]).enumerate() {
        for (column, dialect) in dialects().enumerate() {
            for language in Language::ALL {
                for is_mixed in [false, true] {
                    let parts = [row as u64, column as u64, language as u64, u64::from(is_mixed)];
                    let rng = Rng::new(mix(&[seed, mix(&parts)]));
                    let mut draw = Draw { phrases: &phrases, language, rng };
                    turns.extend(category.turn(&mut draw, dialect, is_mixed));
                }
            }
        }
    }
    turns.into_iter()
}

impl Category {
    fn turn(&self, draw: &mut Draw<'_>, dialect: &'static Dialect, is_mixed: bool) -> Option<Turn> {
        match (self.mix, is_mixed) {
            (Mix::Always, false) | (Mix::Never, true) => return None,
            _ => {}
        }
        let subject = pick(draw, QUOTED)?;
        let call = match self.id == PLACEHOLDER.id {
            true => subject.written_with(dialect, draw.phrase("placeholder")),
            false => subject.written(dialect),
        };
        let mut draft = (self.write)(draw, &call)?;
        if draft.messages.is_empty() {
            draft.messages.push(user(draw.phrase("question")));
        }
        let mut wanted = Vec::new();
        if is_mixed {
            let genuine = genuine_beside(draw, dialect)?;
            let is_led = !draft.content.starts_with(call.text.as_str());
            draft.content = mixed(draw, &draft.content, is_led, &genuine);
            wanted.push(genuine.call);
        }
        Some(Turn {
            what: self.id,
            is_mixed,
            language: draw.language,
            dialect: dialect.id,
            messages: draft.messages,
            content: draft.content,
            reasoning: draft.reasoning,
            wanted,
            forbidden: vec![call.call],
        })
    }
}

fn content(content: String) -> Option<Draft> {
    Some(Draft { content, ..Draft::default() })
}

fn introduced(draw: &mut Draw<'_>, section: &str, call: &Written) -> Option<Draft> {
    let lead = draw.phrase(section);
    content(wrap::led(draw, lead, &call.text))
}

/// The call as if it were meant; only the messages tell that it is not.
fn echo(draw: &mut Draw<'_>, call: &Written, messages: Vec<Value>) -> Option<Draft> {
    let content = match draw.rng.chance(70) {
        true => {
            let lead = draw.phrase_of_any(&["lead", "neutral"]);
            format!("{lead}{}{}", draw.line_end(), call.text)
        }
        false => call.text.clone(),
    };
    Some(Draft { messages, content, ..Draft::default() })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn answer(text: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": "call_7", "content": text })
}

fn pick(draw: &mut Draw<'_>, subjects: &'static [Subject]) -> Option<&'static Subject> {
    subjects.get(draw.rng.below(subjects.len()))
}

/// A genuine call, in the dialect of the quoted one or another.
fn genuine_beside(draw: &mut Draw<'_>, dialect: &'static Dialect) -> Option<Written> {
    let subject = pick(draw, GENUINE)?;
    let all: Vec<_> = dialects().collect();
    let other = all.get(draw.rng.below(all.len()))?;
    Some(subject.written(if draw.rng.chance(50) { dialect } else { other }))
}

/// The quoted text and a genuine call, which comes last as a rule, and always where nothing stands
/// before the quoted one: what is said behind two calls in a row is said of both.
fn mixed(draw: &mut Draw<'_>, quoted: &str, is_led: bool, genuine: &Written) -> String {
    let lead = draw.phrase(if genuine.is_plain_fence() { "announce" } else { "lead" });
    let meant = format!("{lead}{}{}", draw.line_end(), genuine.text);
    match () {
        () if quoted.is_empty() => meant,
        () if is_led && draw.rng.chance(20) => format!("{meant}\n\n{quoted}"),
        () => format!("{quoted}\n\n{meant}"),
    }
}
