//! Turns that mean a call, as models write them: one row for each shape.

use damage::{Rng, mix};
use serde_json::json;
use toolmend_dialect::{Dialect, dialects};

use crate::Turn;
use crate::call::{GENUINE, Subject, Written};
use crate::draw::Draw;
use crate::phrases::{Half, Language, Phrases};

/// A shape of a turn.
struct Shape {
    id: &'static str,
    write: Write,
}

/// Writes content and reasoning around a call, or finds that this dialect is not written so.
type Write = fn(&mut Draw<'_>, &Written) -> Option<(String, String)>;

const SHAPES: &[Shape] = &[
    Shape { id: "alone", write: |_, call| content(call.text.clone()) },
    Shape {
        id: "led",
        write: |draw, call| {
            let lead = lead(draw, call, "lead");
            content(format!("{lead}{}{}", draw.line_end(), call.text))
        },
    },
    Shape {
        id: "led-on-the-line",
        write: |draw, call| {
            let gap = draw.rng.pick(&[" ", ""]);
            let is_fit = call.is_set_apart();
            is_fit.then(|| (format!("{}{gap}{}", draw.phrase("lead"), call.text), String::new()))
        },
    },
    Shape {
        id: "after-statement",
        write: |draw, call| {
            let lead = lead(draw, call, "neutral");
            content(format!("{lead}{}{}", draw.line_end(), call.text))
        },
    },
    Shape {
        id: "after-statement-and-lead",
        write: |draw, call| {
            let statement = draw.phrase("neutral");
            let lead = lead(draw, call, "lead");
            content(format!("{statement} {lead}{}{}", draw.line_end(), call.text))
        },
    },
    Shape {
        id: "thought",
        write: |draw, call| {
            let (thought, gap) = (draw.phrase("thought"), draw.line_end());
            content(format!("<think>\n{thought}\n</think>{gap}{}", call.text))
        },
    },
    Shape {
        id: "thought-and-led",
        write: |draw, call| {
            let thought = draw.phrase("thought");
            let lead = lead(draw, call, "lead");
            let gap = draw.line_end();
            content(format!("<think>{thought}</think>\n\n{lead}{gap}{}", call.text))
        },
    },
    Shape {
        id: "thought-apart",
        write: |draw, call| {
            let lead = lead(draw, call, "lead");
            let text = format!("{lead}{}{}", draw.line_end(), call.text);
            Some((text, draw.phrase("thought").to_owned()))
        },
    },
    Shape {
        id: "in-thought",
        write: |draw, call| {
            let is_fit = call.is_set_apart();
            is_fit.then(|| (String::new(), format!("{}\n\n{}", draw.phrase("thought"), call.text)))
        },
    },
    Shape {
        id: "followed",
        write: |draw, call| {
            let lead = lead(draw, call, "lead");
            let after = draw.phrase("after");
            content(format!("{lead}\n\n{}\n\n{after}", call.text))
        },
    },
    Shape {
        id: "announced",
        write: |draw, call| {
            let lead = draw.phrase("announce");
            content(format!("{lead}{}{}", draw.line_end(), call.text))
        },
    },
    Shape {
        id: "announced-fence",
        write: |draw, call| {
            let info = match call.text.chars().next()? {
                '[' if call.text.contains('(') => "python",
                '{' | '[' => "json",
                _ => return None,
            };
            let is_fit = !call.is_set_apart() && !call.text.contains("```");
            let lead = draw.phrase("announce");
            is_fit.then(|| (format!("{lead}\n\n```{info}\n{}\n```", call.text), String::new()))
        },
    },
    Shape {
        id: "unfenced",
        write: |draw, call| {
            let body = call.unfenced()?;
            content(format!("{}{}{body}", draw.phrase("lead"), draw.line_end()))
        },
    },
    Shape {
        id: AGAIN,
        write: |draw, call| {
            let lead = lead(draw, call, "lead");
            content(format!("{lead}{}{}", draw.line_end(), call.text))
        },
    },
];

/// The shape whose call stands in an earlier reply as well: a model may repeat itself.
const AGAIN: &str = "again";

/// The shape with a second call behind the first.
const TWO: &str = "two";

/// How often each shape is written in each dialect and language.
const ROUNDS: u64 = 2;

/// Every shape in every dialect and language.
pub fn genuine(half: Half, seed: u64) -> impl Iterator<Item = Turn> {
    let phrases = Phrases::of(half);
    let mut turns = Vec::new();
    for (column, dialect) in dialects().enumerate() {
        for language in Language::ALL {
            for round in 0..ROUNDS {
                let parts = [column as u64, language as u64, round];
                let rng = Rng::new(mix(&[seed, mix(&parts)]));
                let mut draw = Draw { phrases: &phrases, language, rng };
                turns.extend(SHAPES.iter().filter_map(|shape| shape.turn(&mut draw, dialect)));
                turns.extend(two(&mut draw, dialect));
            }
        }
    }
    turns.into_iter()
}

impl Shape {
    fn turn(&self, draw: &mut Draw<'_>, dialect: &'static Dialect) -> Option<Turn> {
        let call = subject(draw)?.written(dialect);
        let (content, reasoning) = (self.write)(draw, &call)?;
        let mut messages = vec![json!({ "role": "user", "content": draw.phrase("question") })];
        if self.id == AGAIN {
            let result = json!({ "role": "tool", "tool_call_id": "call_7", "content": "{}" });
            messages.push(json!({ "role": "assistant", "content": call.text }));
            messages.push(result);
        }
        Some(Turn {
            what: self.id,
            is_mixed: false,
            language: draw.language,
            dialect: dialect.id,
            messages,
            content,
            reasoning,
            wanted: vec![call.call],
            forbidden: Vec::new(),
        })
    }
}

/// Two calls in a row.
fn two(draw: &mut Draw<'_>, dialect: &'static Dialect) -> Option<Turn> {
    let turn = draw.rng.below(GENUINE.len());
    let first = GENUINE.get(turn)?.written(dialect);
    let second = GENUINE.get((turn + 1) % GENUINE.len())?.written(dialect);
    let lead = lead(draw, &first, "lead");
    let content = format!("{lead}\n\n{}\n{}", first.text, second.text);
    Some(Turn {
        what: TWO,
        is_mixed: false,
        language: draw.language,
        dialect: dialect.id,
        messages: vec![json!({ "role": "user", "content": draw.phrase("question") })],
        content,
        reasoning: String::new(),
        wanted: vec![first.call, second.call],
        forbidden: Vec::new(),
    })
}

fn subject(draw: &mut Draw<'_>) -> Option<&'static Subject> {
    GENUINE.get(draw.rng.below(GENUINE.len()))
}

fn content(content: String) -> Option<(String, String)> {
    Some((content, String::new()))
}

/// A lead of this section; a plain fence has to be announced.
fn lead(draw: &mut Draw<'_>, call: &Written, section: &str) -> &'static str {
    draw.phrase(if call.is_plain_fence() { "announce" } else { section })
}
