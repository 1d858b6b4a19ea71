//! Everything that is mended in a stream, as a table: the documents, the reports and the check that
//! each rule has a case are made from it.

use crate::api::Api;

/// One row per rule: its id, the APIs it is for, and what it does.
macro_rules! rules {
    ($($name:ident $id:literal $apis:expr, $what:literal;)*) => {
        /// One kind of defect that is mended in a stream. Its id is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum StreamRule { $(#[doc = $what] $name,)* }

        impl StreamRule {
            /// Every rule, in the order of the documents.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable id that reports, counters and settings use.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }

            /// The APIs whose streams have the defect.
            #[must_use]
            pub const fn apis(self) -> &'static [Api] {
                match self { $(Self::$name => $apis),* }
            }

            /// What is wrong, and what becomes of it.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => $what),* }
            }
        }
    };
}

const CHAT: &[Api] = &[Api::Chat];
const RESPONSES: &[Api] = &[Api::Responses];
const MESSAGES: &[Api] = &[Api::Messages];
const OLLAMA: &[Api] = &[Api::Ollama];
const NAMED: &[Api] = &[Api::Responses, Api::Messages];
const WITH_IDS: &[Api] = &[Api::Chat, Api::Responses, Api::Messages];
const ENDED: &[Api] = &[Api::Chat, Api::Messages];
const ALL: &[Api] = &Api::ALL;

rules! {
    FrameUnclosed "frame-unclosed" ALL, "The last event has no blank line behind it, or the last line no line break: it is closed, or clients lose it.";
    BlankLine "blank-line" OLLAMA, "A line is blank: it is left out.";
    EventUnnamed "event-unnamed" NAMED, "An event has no `event:` line, or its data no `type`: each is written from the other.";
    IdMissing "id-missing" WITH_IDS, "A call starts without an id: it gets the one that comes later, or one made from the id of the response and its place.";
    IdRepeated "id-repeated" CHAT, "A call's id stands in more than one chunk, and clients join the copies: only the first stays.";
    IdShared "id-shared" WITH_IDS, "Two calls have one id: the second gets its own.";
    NameRepeated "name-repeated" CHAT, "A call's name stands in more than one chunk, and clients join the copies: only the first stays.";
    NameSplit "name-split" CHAT, "A call's name comes in pieces, or behind the call's first chunk, and clients keep the last piece or fail: the first chunk has all of it.";
    TypeMissing "type-missing" CHAT, "A call does not say that it is a function: it does now.";
    IndexMissing "index-missing" CHAT, "A piece of a call has no index: it gets that of its call.";
    IndexGap "index-gap" CHAT, "The indexes of calls do not run from 0 in steps of 1: they are numbered anew.";
    IndexShared "index-shared" CHAT, "Two calls share an index, and clients join them: each gets its own.";
    ArgumentsNotText "arguments-not-text" CHAT, "Arguments are an object, or null, and not text: they are written as the text of that object, or as no text.";
    ArgumentsNotObject "arguments-not-object" OLLAMA, "Arguments are the text of an object: they are written as that object.";
    LegacyCall "legacy-call" CHAT, "A call comes as `function_call`, or its end is told by that word, which clients of today do not read: it is written as a tool call.";
    RoleMissing "role-missing" CHAT, "The first chunk of a choice names no role: it does now.";
    ChoicesMissing "choices-missing" CHAT, "A chunk has no list of choices: it has an empty one now.";
    ChoiceIncomplete "choice-incomplete" CHAT, "A choice has no index or no delta: it has them now.";
    FinishMissing "finish-missing" ENDED, "The stream says that it is done, but no reason why: the reason that its calls tell is written.";
    FinishRepeated "finish-repeated" CHAT, "A choice finishes twice, and clients join the reasons: the one at its end stays.";
    FinishWithoutCall "finish-without-call" ENDED, "The reason claims a call, but there is none: it is an ordinary end.";
    FinishWithCall "finish-with-call" ENDED, "The reason is that of an ordinary end, but there are calls: it says so now.";
    DoneMissing "done-missing" CHAT, "The stream ends after its finish reason without `[DONE]`: it is added.";
    StartMissing "start-missing" MESSAGES, "The stream does not begin with `message_start`: it does now.";
    StartRepeated "start-repeated" MESSAGES, "A second `message_start` comes: it is left out.";
    BlockIndex "block-index" MESSAGES, "The indexes of blocks do not run from 0 in steps of 1: they are numbered anew.";
    BlockOverlap "block-overlap" MESSAGES, "A block starts while another is open: each is closed before the next one starts.";
    BlockStartMissing "block-start-missing" MESSAGES, "Text comes outside of a block: it gets one.";
    BlockStopMissing "block-stop-missing" MESSAGES, "A block is open when the message ends: it is closed.";
    BlockStopStray "block-stop-stray" MESSAGES, "A block is closed that is not open: that is left out.";
    BlockLate "block-late" MESSAGES, "A block comes behind the stop reason: nothing can be put right any more, and the stream ends with an error.";
    StopMissing "stop-missing" MESSAGES, "The stream ends after its stop reason without `message_stop`: it is added.";
    SequenceMissing "sequence-missing" RESPONSES, "Events have no sequence number, or one that does not grow: they are numbered.";
    OutputIndex "output-index" RESPONSES, "An event does not say which output it belongs to, or numbers have gaps: they run from 0.";
    ContentIndex "content-index" RESPONSES, "An event does not say which part of an item it belongs to, or names one that nobody announced: it is the one at hand.";
    OutputMissing "output-missing" RESPONSES, "The response that was created has no list of output: it has an empty one now.";
    ResponseIncomplete "response-incomplete" RESPONSES, "The response that was created does not say when, or of which model, and clients refuse it: it says 0, or no name.";
    DetailsMissing "details-missing" RESPONSES, "A response that was cut does not say by what, and clients take it for whole: it says, by the limit of tokens.";
    ItemAddedMissing "item-added-missing" RESPONSES, "An item was not announced before its pieces came: it is.";
    ItemMissing "item-missing" RESPONSES, "An event announces or closes an item and does not tell it: it is left out, or clients fail.";
    ItemRepeated "item-repeated" RESPONSES, "An item is announced or closed a second time: that is left out.";
    ItemDoneMissing "item-done-missing" RESPONSES, "An item was not closed before the response ended: it is.";
    EventRenamed "event-renamed" RESPONSES, "An event has a name that the API does not: it has the API's.";
    PartAddedMissing "part-added-missing" RESPONSES, "Text of an item came before any part of it was announced: the first one is, and what announces it later is left out.";
    ArgumentsDeltaMissing "arguments-delta-missing" RESPONSES, "The arguments of a call came only at its end: they come as a piece, too.";
    ArgumentsDoneMissing "arguments-done-missing" RESPONSES, "The arguments of a call were not told whole before the call ended: they are.";
    ArgumentsDisagree "arguments-disagree" RESPONSES, "The pieces of arguments and the whole differ: the whole counts everywhere.";
    TextDisagrees "text-disagrees" RESPONSES, "The pieces of a text and the whole differ: what was sent counts.";
    OutputDisagrees "output-disagrees" RESPONSES, "The output of the completed response is not what was sent: it is what was sent.";
    CallCut "call-cut" ALL, "The stream ends inside of a call, or a piece of a call belongs to none: that call is left out, and the stream ends with an error.";
    StreamCut "stream-cut" ALL, "The stream ends before it said that it is done: it ends with an error of its API.";
    DataBroken "data-broken" ALL, "A frame is no JSON object, or no UTF-8: the stream ends with an error of its API.";
}

impl StreamRule {
    /// The rule of this id.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id() == id)
    }

    /// Whether a stream that it fired on ends with an error.
    #[must_use]
    pub const fn is_fatal(self) -> bool {
        matches!(self, Self::CallCut | Self::StreamCut | Self::DataBroken | Self::BlockLate)
    }
}

/// The document of all rules, for `docs/stream-rules.md`.
#[doc(hidden)]
#[must_use]
pub fn rules_document() -> String {
    let head = "<!-- Written by `cargo xtask gen` from crates/toolmend-wire/src/rule.rs. -->\n\n\
                # Stream rules\n\n\
                What is mended in the form of a stream. A stream on which no rule fires leaves byte for byte; one on which a\n\
                rule fires leaves mended, or, where the last column says so, ends with an error of its API.\n\n\
                | rule | API | what is wrong, and what becomes of it | ends |\n|---|---|---|---|\n";
    let rows = StreamRule::ALL.iter().map(|rule| {
        let apis: Vec<_> = rule.apis().iter().map(|api| api.as_str()).collect();
        let end = if rule.is_fatal() { "error" } else { "" };
        format!("| `{}` | {} | {} | {end} |\n", rule.id(), apis.join(", "), rule.what())
    });
    head.chars().chain(rows.collect::<String>().chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::StreamRule;

    #[test]
    fn rules_are_found_by_their_ids() {
        for rule in StreamRule::ALL.iter().copied() {
            assert_eq!(StreamRule::find(rule.id()), Some(rule));
        }
        assert_eq!(StreamRule::find("no-rule"), None);
    }
}
