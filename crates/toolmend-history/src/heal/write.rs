//! Writes a history with its changes. Whatever was not changed keeps its bytes, and so does the
//! white space between two messages that were neighbours before.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toolmend_json::{Shape, Span};

use super::plan::{Answer, Plan};
use crate::chain::Chain;
use crate::history::{Kind, Message, Role};
use crate::node::{Splice, find_member, read_valid};
use crate::{Api, History};

pub(super) fn write(history: &History<'_>, chain: &Chain<'_, '_>, plan: &mut Plan) -> String {
    plan.splices.sort_by_key(|splice| splice.span);
    let writer = Writer { history, chain, plan };
    let spans: Vec<Span> = history.messages.iter().map(|message| message.span).collect();
    let whole = Span { start: 0, end: u32::try_from(history.text.len()).unwrap_or(u32::MAX) };
    let items = match history.api {
        Api::Anthropic => writer.messages_of_blocks(),
        Api::Chat | Api::Responses | Api::Ollama => writer.messages(),
    };
    writer.list(whole, &spans, &items)
}

/// An item of a list.
enum Item {
    /// One that was there, by its place.
    Own(usize),
    /// One that was not.
    New(String),
}

struct Writer<'p, 'h, 't> {
    history: &'h History<'t>,
    chain: &'p Chain<'h, 't>,
    plan: &'p Plan,
}

impl Writer<'_, '_, '_> {
    /// Messages where each result is one.
    fn messages(&self) -> Vec<Item> {
        let removed: Vec<usize> = self.removed().map(|(message, _)| message).collect();
        let mut items = Vec::new();
        for at in 0..self.history.messages.len() {
            if !self.plan.dropped.contains(&at) && removed.binary_search(&at).is_err() {
                items.push(Item::Own(at));
            }
            for answer in self.plan.behind.get(&at).into_iter().flatten() {
                match answer {
                    Answer::Made(json) => items.push(Item::New(json.clone())),
                    Answer::Moved(number) => {
                        items.extend(self.chain.results.get(*number).map(|r| Item::Own(r.message)));
                    }
                }
            }
        }
        items
    }

    /// Messages where results are blocks in what the user says.
    fn messages_of_blocks(&self) -> Vec<Item> {
        let mut removed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (message, block) in self.removed() {
            removed.entry(message).or_default().extend(block);
        }
        let mut items = Vec::new();
        let mut answers: &[Answer] = &[];
        for (at, message) in self.history.messages.iter().enumerate() {
            let takes_blocks = takes_blocks(message);
            if !takes_blocks {
                items.extend(self.new_message(std::mem::take(&mut answers)));
            }
            let gone = removed.get(&at).map(Vec::as_slice).unwrap_or_default();
            if takes_blocks && !(gone.is_empty() && answers.is_empty()) {
                let answers = std::mem::take(&mut answers);
                items.extend(self.with_blocks(at, gone, answers).map(Item::New));
            } else if !self.plan.dropped.contains(&at) {
                items.push(Item::Own(at));
            }
            if let Some(behind) = self.plan.behind.get(&at) {
                answers = behind;
            }
        }
        items.extend(self.new_message(answers));
        items
    }

    /// Where results stood that left their place: message and block.
    fn removed(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        let links = self.plan.removed.iter().filter_map(|number| self.chain.results.get(*number));
        links.map(|link| (link.message, link.part.index))
    }

    /// A message of the user for results that have none to stand in.
    fn new_message(&self, answers: &[Answer]) -> Option<Item> {
        if answers.is_empty() {
            return None;
        }
        let blocks: Vec<Cow<'_, str>> =
            answers.iter().filter_map(|answer| self.answer(answer)).collect();
        let blocks = blocks.join(",");
        Some(Item::New(format!("{{\"role\":\"user\",\"content\":[{blocks}]}}")))
    }

    /// A user's message without the blocks that are gone, and with answers before the rest; `None`
    /// if nothing is left of it.
    fn with_blocks(&self, at: usize, gone: &[usize], answers: &[Answer]) -> Option<String> {
        let message = self.history.messages.get(at)?;
        let content = find_member(self.history.text, message.span, "content");
        let Some(content) = content else {
            // Nothing was said, so there is only what comes.
            let Some(Item::New(message)) = self.new_message(answers) else { return None };
            return Some(message);
        };
        let source = self.history.source(content);
        let document = read_valid(source)?;
        let root = document.value()?;
        let mut items = Vec::new();
        for answer in answers {
            items.push(match answer {
                Answer::Moved(number) => match self.chain.results.get(*number) {
                    Some(link) if link.message == at => Item::Own(link.part.index?),
                    _ => Item::New(self.answer(answer)?.into_owned()),
                },
                Answer::Made(json) => Item::New(json.clone()),
            });
        }
        let mut spans = Vec::new();
        match root.shape() {
            Shape::Array => {
                let shift = |span: Span| Span {
                    start: content.start + span.start,
                    end: content.start + span.end,
                };
                spans.extend(root.items().map(|block| shift(block.span())));
                let left = (0..spans.len()).filter(|index| gone.binary_search(index).is_err());
                items.extend(left.map(Item::Own));
            }
            Shape::String if !root.as_str().is_some_and(|text| text.trim().is_empty()) => {
                items.push(Item::New(format!("{{\"type\":\"text\",\"text\":{source}}}")));
            }
            _ => {}
        }
        if items.is_empty() {
            return None;
        }
        let blocks = self.list(content, &spans, &items);
        let text = self.history.text;
        let before = text.get(message.span.start as usize..content.start as usize)?;
        let after = text.get(content.end as usize..message.span.end as usize)?;
        Some([before, &blocks, after].concat())
    }

    fn answer<'a>(&'a self, answer: &'a Answer) -> Option<Cow<'a, str>> {
        match answer {
            Answer::Made(json) => Some(Cow::Borrowed(json)),
            Answer::Moved(number) => {
                self.chain.results.get(*number).map(|link| self.spliced(link.part.span))
            }
        }
    }

    /// A list with these items: `spans` says where its own stand, `outer` where the list does.
    fn list(&self, outer: Span, spans: &[Span], items: &[Item]) -> String {
        let text = self.history.text;
        let between =
            |start: u32, end: u32| text.get(start as usize..end as usize).unwrap_or_default();
        let (Some(first), Some(last)) = (spans.first(), spans.last()) else {
            let new: Vec<&str> = items
                .iter()
                .map(|item| match item {
                    Item::New(json) => json.as_str(),
                    Item::Own(_) => "",
                })
                .collect();
            return format!("[{}]", new.join(","));
        };
        let mut out = between(outer.start, first.start).to_owned();
        let mut before: Option<&Item> = None;
        for item in items {
            match (before, item) {
                (None, _) => {}
                (Some(Item::Own(left)), Item::Own(right)) if left + 1 == *right => {
                    if let [left, right, ..] = spans.get(*left..).unwrap_or_default() {
                        out.push_str(between(left.end, right.start));
                    }
                }
                _ => out.push(','),
            }
            match item {
                Item::New(json) => out.push_str(json),
                Item::Own(at) => {
                    out.push_str(&spans.get(*at).map_or(Cow::Borrowed(""), |at| self.spliced(*at)));
                }
            }
            before = Some(item);
        }
        out.push_str(between(last.end, outer.end));
        out
    }

    /// A stretch of the text with the changes inside of it.
    fn spliced(&self, span: Span) -> Cow<'_, str> {
        let from = |at: u32| self.plan.splices.partition_point(|splice| splice.span.start < at);
        let inside = self.plan.splices.get(from(span.start)..from(span.end)).unwrap_or_default();
        if inside.is_empty() {
            return Cow::Borrowed(self.history.source(span));
        }
        let mut out = String::with_capacity(span.len());
        let mut at = span.start;
        for Splice { span, text } in inside {
            out.push_str(self.history.source(Span { start: at, end: span.start }));
            out.push_str(text);
            at = span.end;
        }
        out.push_str(self.history.source(Span { start: at, end: span.end }));
        Cow::Owned(out)
    }
}

/// Whether blocks can be added to what this message says.
fn takes_blocks(message: &Message<'_>) -> bool {
    let is_odd = |kind: &Kind<'_>| matches!(kind, Kind::Other(_));
    message.role == Role::User
        && !message.parts.iter().any(|part| part.index.is_none() && is_odd(&part.kind))
}
