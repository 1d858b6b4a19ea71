//! The items of a response's output, as far as they came.

use super::Responses;
use crate::json::Json;

/// One item of output.
#[derive(Debug, Default)]
pub(super) struct Item {
    /// Its own id, by which events name it.
    pub(super) id: Option<String>,
    /// The id under which it leaves: its own, or one that was made.
    pub(super) id_written: Option<String>,
    /// Its `output_index` as it came.
    pub(super) index: Option<u64>,
    pub(super) kind: Kind,
    pub(super) came: Came,
    pub(super) is_done: bool,
    pub(super) announced: Announced,
    pub(super) parts: Vec<PartText>,
    /// Its `output_index` as it leaves.
    pub(super) written: Option<usize>,
    /// Whether a piece of the changed arguments was written.
    pub(super) has_written_delta: bool,
    /// The item as it came, for one that must be made.
    pub(super) raw: String,
}

/// Which events about an item came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Came {
    /// Pieces of arguments.
    pub(super) deltas: bool,
    /// The whole of the arguments.
    pub(super) arguments: bool,
}

/// Who announced parts of an item, and the place of the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Announced {
    #[default]
    Nobody,
    Server(usize),
    /// This program, and the first one: clients have no part yet, whatever the pieces say.
    Here,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    Call(usize),
    Message,
    Reasoning,
    #[default]
    Other,
}

/// The text of one part of an item: what came, and what was sent of it.
#[derive(Debug, Default)]
pub(super) struct PartText {
    pub(super) place: PartPlace,
    pub(super) came: String,
    pub(super) sent: String,
}

/// Where a part stands in its item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PartPlace {
    #[default]
    Nowhere,
    Content(usize),
    Summary(usize),
}

impl Responses {
    /// The item of this id that an event announces or closes.
    pub(super) fn find_same(&self, json: Json<'_>) -> Option<usize> {
        let id = json.given("item")?.word("id")?;
        self.items.iter().rposition(|item| item.id.as_ref() == Some(&id))
    }

    /// The item that an event names.
    pub(super) fn find_item(&self, json: Json<'_>) -> Option<usize> {
        let id = json.word("item_id").or_else(|| json.given("item").and_then(|i| i.word("id")));
        let by_id = |id: &String| self.items.iter().rposition(|item| item.id.as_ref() == Some(id));
        let index = json.get("output_index").and_then(Json::number);
        // A number says which item is meant only where ids do not say otherwise.
        let by_index = |index: u64| {
            self.items.iter().rposition(|item| {
                let is_other = id.is_some() && item.id.is_some();
                item.index == Some(index) && !item.is_done && !is_other
            })
        };
        id.as_ref().and_then(by_id).or_else(|| {
            index.and_then(by_index).or_else(|| {
                let is_nameless = id.is_none() && index.is_none();
                is_nameless.then(|| self.items.iter().rposition(|item| !item.is_done)).flatten()
            })
        })
    }
}

impl Item {
    /// The place that an event means: some servers announce one part, and count on with every piece.
    pub(super) fn meant(&self, place: PartPlace) -> PartPlace {
        match (place, self.announced) {
            (PartPlace::Content(at), Announced::Server(last)) => PartPlace::Content(at.min(last)),
            (PartPlace::Content(_), Announced::Here) => PartPlace::Content(0),
            (place, _) => place,
        }
    }

    pub(super) fn part(&mut self, place: PartPlace) -> usize {
        let found = self.parts.iter().position(|part| part.place == place);
        found.unwrap_or_else(|| {
            self.parts.push(PartText { place, ..PartText::default() });
            self.parts.len() - 1
        })
    }
}
