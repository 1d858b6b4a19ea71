//! Texts that end early. The values are those of what stands before the end.

use serde_json::{Map, Value};

use crate::draft::Draft;
use crate::token::{Kind, Token};

/// How many incomplete levels may be dropped for an accepted value.
const LEVELS_MAX: usize = 6;

/// What stands in the place of the token that was cut.
#[derive(Default)]
struct Rest {
    text: String,
    /// Values that the rest may stand for; without any, the member is dropped.
    values: Vec<Value>,
}

/// Cuts at a token that fits: those before it stay, and of it what `keep` says.
fn cut(
    draft: &mut Draft,
    fits: impl Fn(&[Token], usize) -> bool,
    keep: impl Fn(&mut Draft, &Token) -> Option<Rest>,
) -> Option<()> {
    let all: Vec<usize> = (1..draft.tokens.len()).filter(|&at| fits(&draft.tokens, at)).collect();
    let at = *all.get(draft.rng.below(all.len()))?;
    let token = draft.tokens.get(at)?.clone();
    let rest = keep(draft, &token)?;
    draft.tokens.truncate(at);
    draft.others.extend(prefixes(&draft.tokens, &rest.values));
    draft.tokens.push(Token::raw(rest.text));
    Some(())
}

fn has_kind(kind: Kind) -> impl Fn(&[Token], usize) -> bool {
    move |tokens, at| tokens.get(at).is_some_and(|token| token.kind == kind)
}

/// The first characters of a text, at least `least` and not all of them.
fn head(draft: &mut Draft, text: &str, least: usize) -> String {
    let count = text.chars().count();
    let kept = draft.rng.between(least, count.saturating_sub(1).max(least));
    text.chars().take(kept).collect()
}

pub(super) fn in_key(draft: &mut Draft) -> Option<()> {
    cut(draft, has_kind(Kind::Key), |draft, token| {
        Some(Rest { text: head(draft, &token.text, 1), values: vec![] })
    })
}

pub(super) fn after_key(draft: &mut Draft) -> Option<()> {
    cut(draft, has_kind(Kind::Colon), |_, _| Some(Rest::default()))
}

pub(super) fn after_colon(draft: &mut Draft) -> Option<()> {
    let gap = draft.rng.pick(&["", " ", ""]);
    cut(draft, has_kind(Kind::Colon), |_, _| {
        Some(Rest { text: format!(":{gap}"), values: vec![Value::Null] })
    })
}

pub(super) fn after_comma(draft: &mut Draft) -> Option<()> {
    let gap = draft.rng.pick(&["", " ", "\n"]);
    cut(draft, has_kind(Kind::Comma), |_, _| Some(Rest { text: format!(",{gap}"), values: vec![] }))
}

pub(super) fn after_opener(draft: &mut Draft) -> Option<()> {
    let gap = draft.rng.pick(&["", "\n", ""]);
    if draft.rng.chance(10) || !draft.tokens.iter().skip(1).any(Token::is_opener) {
        draft.set_body(format!("{{{gap}"));
        draft.others.push(Value::Object(Map::new()));
        return Some(());
    }
    cut(
        draft,
        |tokens, at| tokens.get(at).is_some_and(Token::is_opener),
        |_, token| {
            let empty = if token.kind == Kind::OpenArray {
                Value::Array(vec![])
            } else {
                Value::Object(Map::new())
            };
            Some(Rest { text: format!("{}{gap}", token.text), values: vec![empty] })
        },
    )
}

pub(super) fn in_string(draft: &mut Draft) -> Option<()> {
    cut(
        draft,
        |tokens, at| {
            has_kind(Kind::String)(tokens, at)
                && tokens.get(at).is_some_and(|token| token.plain.len() > 1)
        },
        |draft, token| {
            let plain = head(draft, &token.plain, 0);
            let text = crate::quoting::json(&plain);
            Some(Rest { text: text.strip_suffix('"')?.into(), values: vec![plain.into()] })
        },
    )
}

pub(super) fn in_escape(draft: &mut Draft) -> Option<()> {
    let has_escape = |token: &Token| {
        token.kind == Kind::String && token.plain.contains(|c| needs_escape(c) || !c.is_ascii())
    };
    cut(
        draft,
        |tokens, at| tokens.get(at).is_some_and(has_escape),
        |draft, token| {
            let places: Vec<usize> = token
                .plain
                .char_indices()
                .filter(|&(_, c)| needs_escape(c) || !c.is_ascii())
                .map(|(at, _)| at)
                .collect();
            let at = draft.rng.pick(&places);
            let plain = token.plain.get(..at)?.to_owned();
            let escape = match token.plain.get(at..)?.chars().next()? {
                c if needs_escape(c) && !draft.rng.chance(20) => "\\".into(),
                c => head(draft, &crate::quoting::code_units(c), 1),
            };
            let text = crate::quoting::json(&plain);
            Some(Rest {
                text: format!("{}{escape}", text.strip_suffix('"')?),
                values: vec![plain.into()],
            })
        },
    )
}

fn needs_escape(character: char) -> bool {
    matches!(character, '"' | '\\' | '\n' | '\t' | '\r') || u32::from(character) < 0x20
}

pub(super) fn in_number(draft: &mut Draft) -> Option<()> {
    cut(
        draft,
        |tokens, at| {
            has_kind(Kind::Number)(tokens, at)
                && tokens.get(at).is_some_and(|token| token.text.len() > 1)
        },
        |draft, token| {
            let text = head(draft, &token.text, 1);
            let digits = text.trim_end_matches(['.', 'e', 'E', '-', '+']);
            let values = serde_json::from_str(digits).ok().into_iter().collect();
            Some(Rest { text, values })
        },
    )
}

pub(super) fn in_literal(draft: &mut Draft) -> Option<()> {
    cut(draft, has_kind(Kind::Literal), |draft, token| {
        let values = serde_json::from_str(&token.text).ok().into_iter().collect();
        Some(Rest { text: head(draft, &token.text, 1), values })
    })
}

/// After a whole member: nothing tells whether more was to come.
pub(super) fn between(draft: &mut Draft) -> Option<()> {
    cut(
        draft,
        |tokens, at| {
            let is_sign = tokens.get(at).is_some_and(|token| token.kind == Kind::Comma);
            is_sign && tokens.get(at - 1).is_some_and(Token::ends_value)
        },
        |_, _| Some(Rest::default()),
    )
}

enum Frame {
    Object(Map<String, Value>, Option<String>),
    Array(Vec<Value>),
}

impl Frame {
    fn add(&mut self, value: Value) {
        match self {
            Self::Array(items) => items.push(value),
            Self::Object(members, key) => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
            }
        }
    }

    fn value(&self) -> Value {
        match self {
            Self::Array(items) => Value::Array(items.clone()),
            Self::Object(members, _) => Value::Object(members.clone()),
        }
    }
}

/// The values of a text that ends after these tokens: with one of `rests` in the open place, or
/// with the open place dropped, at the innermost level or further out.
fn prefixes(tokens: &[Token], rests: &[Value]) -> Vec<Value> {
    let mut frames = open_frames(tokens);
    let mut values: Vec<Value> =
        rests.iter().map(|rest| folded(&frames, Some(rest.clone()))).collect();
    for _ in 0..LEVELS_MAX {
        if frames.is_empty() {
            break;
        }
        values.push(folded(&frames, None));
        frames.pop();
    }
    values
}

fn open_frames(tokens: &[Token]) -> Vec<Frame> {
    let mut frames: Vec<Frame> = Vec::new();
    for token in tokens {
        let whole = match token.kind {
            Kind::OpenObject => {
                frames.push(Frame::Object(Map::new(), None));
                None
            }
            Kind::OpenArray => {
                frames.push(Frame::Array(Vec::new()));
                None
            }
            Kind::Key => {
                if let Some(Frame::Object(_, key)) = frames.last_mut() {
                    *key = Some(token.plain.clone());
                }
                None
            }
            Kind::CloseObject | Kind::CloseArray => frames.pop().map(|frame| frame.value()),
            Kind::String => Some(Value::from(token.plain.clone())),
            Kind::Number | Kind::Literal => serde_json::from_str(&token.text).ok(),
            _ => None,
        };
        if let (Some(value), Some(frame)) = (whole, frames.last_mut()) {
            frame.add(value);
        }
    }
    frames
}

fn folded(frames: &[Frame], rest: Option<Value>) -> Value {
    let mut inner = rest;
    for frame in frames.iter().rev() {
        let mut whole = match frame {
            Frame::Array(items) => Frame::Array(items.clone()),
            Frame::Object(members, key) => Frame::Object(members.clone(), key.clone()),
        };
        if let Some(value) = inner.take() {
            whole.add(value);
        }
        inner = Some(whole.value());
    }
    inner.unwrap_or_default()
}
