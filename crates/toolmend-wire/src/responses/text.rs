//! Events about the text of an item: pieces, whole texts, whole parts.

use super::items::{Announced, Item, Kind, PartPlace};
use super::{Responses, Tag, What};
use crate::channel::Channel;
use crate::frame::Frame;
use crate::json::Json;
use crate::protocol::{Entry, Told};
use crate::rule::StreamRule;
use crate::turn::{Delta, Turns};

/// What an event says about a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    Piece(Channel),
    Whole,
    Part,
}

impl Responses {
    /// Reads an event about a part of an item, or about nothing that is known here.
    pub(super) fn read_part(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        kind: &str,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        if kind == "response.content_part.added" {
            return self.read_part_added(frame, json, turns, told);
        }
        let Some(about) = about(kind) else {
            return match json.word("item_id").and_then(|_| self.find_item(json)) {
                Some(at) => self.hold(frame, at, What::Other, told),
                None => told.hold(Entry::new(Some(frame), Tag::other())),
            };
        };
        let found = self.find_item(json);
        let at = match (found, about) {
            (Some(at), _) => at,
            (None, About::Piece(channel)) => self.announce_text(json, channel, turns, told),
            (None, _) => return told.hold(Entry::new(Some(frame), Tag::other())),
        };
        let place = place_of(json, kind);
        if let (About::Piece(_), PartPlace::Content(_)) = (about, place) {
            self.announce_part(at, told);
        }
        let Some(item) = self.items.get_mut(at) else { return };
        let part = item.part(item.meant(place));
        let what = match about {
            About::Piece(channel) => match json.word("delta") {
                Some(text) => {
                    let stretch = turns.arrive(0, channel, &text);
                    told.delta(0, Delta::Text(channel, text));
                    What::TextDelta(part, channel, stretch)
                }
                None => What::Other,
            },
            About::Whole => What::TextDone(part),
            About::Part => What::PartDone(part),
        };
        let waits = match what {
            What::TextDelta(_, channel, stretch) => Some((channel, stretch)),
            _ => None,
        };
        self.hold(frame, at, what, told);
        if let (Some((channel, stretch)), Some((_, entry))) = (waits, told.entries.last_mut()) {
            entry.waits.push(crate::protocol::Wait::Text(0, channel, stretch));
        }
    }

    fn read_part_added(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let part = json.given("part").and_then(|part| part.word("type"));
        let channel = match part.as_deref() {
            Some("reasoning_text") => Channel::Reasoning,
            _ => Channel::Content,
        };
        let found = self.find_item(json);
        let at = found.unwrap_or_else(|| self.announce_text(json, channel, turns, told));
        let made = self.items.get(at).map(|item| item.announced);
        let number = place_of(json, "response.content_part.added");
        if made == Some(Announced::Here) && number == PartPlace::Content(0) {
            return Self::leave_out(frame, StreamRule::PartAddedMissing, told);
        }
        self.note_announced(at, json);
        self.hold(frame, at, What::Other, told);
    }

    /// Takes note that the server announces a part of an item.
    fn note_announced(&mut self, at: usize, json: Json<'_>) {
        let place = place_of(json, "response.content_part.added");
        if let (Some(item), PartPlace::Content(number)) = (self.items.get_mut(at), place) {
            item.announced = Announced::Server(number);
        }
    }

    /// Text comes for the first part of an item: clients that keep a list of parts want to know of it
    /// before.
    fn announce_part(&mut self, at: usize, told: &mut Told<Tag>) {
        let is_new = |item: &&mut Item| {
            matches!(item.kind, Kind::Message | Kind::Reasoning)
                && item.announced == Announced::Nobody
        };
        if let Some(item) = self.items.get_mut(at).filter(is_new) {
            item.announced = Announced::Here;
            told.note(StreamRule::PartAddedMissing);
            self.make(at, What::MadePartAdded, told);
        }
    }

    /// Text came for an item that nobody announced.
    fn announce_text(
        &mut self,
        json: Json<'_>,
        channel: Channel,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) -> usize {
        let id =
            crate::json::quote(&json.word("item_id").unwrap_or_else(|| "msg_toolmend".to_owned()));
        let item = match channel {
            Channel::Content => format!(
                r#"{{"type":"message","id":{id},"role":"assistant","status":"in_progress","content":[]}}"#
            ),
            Channel::Reasoning => format!(r#"{{"type":"reasoning","id":{id},"summary":[]}}"#),
        };
        let index = json.get("output_index").map_or("null", Json::raw);
        let made = format!(r#"{{"output_index":{index},"item":{item}}}"#);
        match Json::read_object(&made) {
            Some(made) => self.announce(made, turns, told),
            None => self.announce(json, turns, told),
        }
    }
}

fn about(kind: &str) -> Option<About> {
    Some(match kind {
        "response.output_text.delta" => About::Piece(Channel::Content),
        "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" => {
            About::Piece(Channel::Reasoning)
        }
        "response.output_text.done"
        | "response.reasoning_text.done"
        | "response.reasoning_summary_text.done" => About::Whole,
        "response.content_part.done" | "response.reasoning_summary_part.done" => About::Part,
        _ => return None,
    })
}

fn place_of(json: Json<'_>, kind: &str) -> PartPlace {
    let number = |name| {
        let number = json.get(name).and_then(Json::number);
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or_default()
    };
    match kind.contains("summary") {
        true => PartPlace::Summary(number("summary_index")),
        false => PartPlace::Content(number("content_index")),
    }
}

/// The member that says which part of its item an event is about, if one must.
pub(super) fn part_index(kind: &str) -> Option<&'static str> {
    let (head, _) = kind.rsplit_once('.')?;
    match head {
        "response.output_text"
        | "response.refusal"
        | "response.content_part"
        | "response.reasoning_text" => Some("content_index"),
        "response.reasoning_summary_text" | "response.reasoning_summary_part" => {
            Some("summary_index")
        }
        _ => None,
    }
}
