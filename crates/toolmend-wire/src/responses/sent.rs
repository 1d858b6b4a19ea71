//! The texts of an item as they leave: what was sent of a part is what its end tells.

use super::items::{Item, Kind, PartPlace};
use super::{Responses, What};
use crate::draft::{Draft, Step, at};
use crate::json::Json;
use crate::protocol::Sink;
use crate::rule::StreamRule;
use crate::turn::Turns;

impl Responses {
    /// Puts right the text in an event. Tells whether the event stays.
    pub(super) fn patch_text(
        &mut self,
        draft: &mut Draft,
        item: usize,
        what: &What,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> bool {
        let Some(state) = self.items.get_mut(item) else { return true };
        if let What::TextDelta(part, ..) | What::TextDone(part) | What::PartDone(part) = what {
            state.set_place(draft, *part, sink);
        }
        match what {
            What::TextDelta(part, channel, stretch) => {
                let text = draft.get(at!["delta"]).and_then(Json::text).unwrap_or_default();
                let changed = turns.changed(0, *channel, *stretch, &text);
                if let Some(part) = state.parts.get_mut(*part) {
                    part.came.push_str(&text);
                    part.sent.push_str(changed.as_deref().unwrap_or(&text));
                }
                if let Some(text) = changed {
                    self.writer.is_changed = true;
                    draft.set_text(at!["delta"], &text);
                    return !text.is_empty();
                }
            }
            What::TextDone(part) => state.set_part(draft, at!["text"], *part, sink),
            What::PartDone(part) => state.set_part(draft, at!["part", "text"], *part, sink),
            What::ItemDone => {
                for part in 0..state.parts.len() {
                    let place = state.parts.get(part).map(|part| part.place);
                    let path: &[Step<'_>] = match place {
                        Some(PartPlace::Content(at)) => at!["item", "content", at, "text"],
                        Some(PartPlace::Summary(at)) => at!["item", "summary", at, "text"],
                        _ => continue,
                    };
                    state.set_part(draft, path, part, sink);
                }
            }
            _ => {}
        }
        true
    }
}

impl Item {
    /// Sets the place of a part that an event names otherwise.
    fn set_place(&self, draft: &mut Draft, part: usize, sink: &mut Sink<'_>) {
        let place = self.parts.get(part).map(|part| part.place);
        let came = draft.get(at!["content_index"]).and_then(Json::number);
        if let (Some(PartPlace::Content(place)), Some(came)) = (place, came)
            && u64::try_from(place) != Ok(came)
        {
            sink.note(StreamRule::ContentIndex);
            draft.set(at!["content_index"], &place.to_string());
        }
    }

    /// Sets the whole text of a part to what was sent of it.
    fn set_part(&self, draft: &mut Draft, path: &[Step<'_>], part: usize, sink: &mut Sink<'_>) {
        let Some(part) = self.parts.get(part).filter(|part| !part.came.is_empty()) else { return };
        let Some(text) = draft.get(path).and_then(Json::text) else { return };
        if text != part.came {
            sink.note(StreamRule::TextDisagrees);
        }
        draft.set_text(path, &part.sent);
    }

    /// The item as it would have been closed.
    pub(super) fn whole(&self) -> String {
        let mut draft = Draft::new(&self.raw);
        if let Some(id) = &self.id_written {
            draft.set_text(at!["id"], id);
        }
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_key(|part| part.place);
        for part in parts {
            let text = crate::json::quote(&part.sent);
            let (list, json) = match part.place {
                PartPlace::Content(_) if self.kind == Kind::Message => (
                    "content",
                    format!(r#"{{"type":"output_text","text":{text},"annotations":[]}}"#),
                ),
                PartPlace::Content(_) => {
                    ("content", format!(r#"{{"type":"reasoning_text","text":{text}}}"#))
                }
                PartPlace::Summary(_) => {
                    ("summary", format!(r#"{{"type":"summary_text","text":{text}}}"#))
                }
                PartPlace::Nowhere => continue,
            };
            if draft.get(at![list]).is_none_or(|list| !list.is_array()) {
                draft.set(at![list], "[]");
            }
            draft.push(at![list], &json);
        }
        if draft.get(at!["status"]).is_some() {
            draft.set_text(at!["status"], "completed");
        }
        draft.into_text()
    }
}
