//! Whole replies: the same menders, and the same care for what was right.

mod made;
mod read;
mod write;

use crate::api::Api;
use crate::channel::{Channel, Stretch};
use crate::draft::{Draft, Step};
use crate::json::Json;
use crate::mender::{Closing, Mender, Next, Verdict, WireCall};
use crate::relay::settle_turn;
use crate::rule::StreamRule;
use crate::turn::{Closed, End, Extent, Reason, Stage, TurnState, Turns};
use crate::usage::Usage;

pub use made::{reply_of, stream_of};

/// A way into a reply.
type Path = Vec<Step<'static>>;

/// What one choice of a reply says, in the words of no API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// The thinking.
    pub reasoning: String,
    /// The answer.
    pub content: String,
    /// The calls that are declared.
    pub calls: Vec<WireCall>,
    /// Why it ended, if that is told.
    pub reason: Option<Reason>,
}

/// The body of a reply that is not streamed.
///
/// ```
/// use toolmend_wire::{Api, Reply, Untouched};
///
/// let body = br#"{"message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop"}"#;
/// let mut reply = Reply::read(Api::Ollama, body).unwrap();
/// assert_eq!(reply.turns()[0].content, "Hi");
/// reply.mend(0, &mut Untouched);
/// assert_eq!(reply.write().as_bytes(), body);
/// ```
#[derive(Debug)]
pub struct Reply {
    api: Api,
    body: String,
    seed: String,
    turns: Turns,
    choices: Vec<Choice>,
    rules: Vec<StreamRule>,
}

/// Where the parts of one choice stand.
#[derive(Debug, Default)]
struct Choice {
    /// The message, or the reply itself.
    own: Path,
    texts: Vec<TextSlot>,
    /// Where each call stands.
    calls: Vec<CallSlot>,
    reason: Option<Reason>,
}

#[derive(Debug)]
struct TextSlot {
    path: Path,
    channel: Channel,
    text: String,
    stretch: Stretch,
}

#[derive(Debug)]
struct CallSlot {
    path: Path,
    is_legacy: bool,
}

impl Reply {
    /// Reads a body; `None` if it is no reply of this API.
    #[must_use]
    pub fn read(api: Api, body: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let json = Json::read_object(text)?;
        let [id, created, said] = json.pick(["id", "created_at", said_key(api)]);
        let seed = [id, created].into_iter().flatten().find_map(Json::filled);
        let mut reply = Self {
            api,
            body: text.to_owned(),
            seed: seed.unwrap_or_default(),
            turns: Turns::default(),
            choices: Vec::new(),
            rules: Vec::new(),
        };
        reply.read_choices(json, said?)?;
        Some(reply)
    }

    /// How many choices it has.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.choices.len()
    }

    /// What each choice says.
    #[must_use]
    pub fn turns(&self) -> Vec<Turn> {
        let turns = self.choices.iter().zip(&self.turns.list);
        turns.map(|(choice, state)| choice.turn(state)).collect()
    }

    /// The tokens that it tells of.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage::read(&Draft::new(&self.body))
    }

    /// Lets a mender decide about a choice. One that wants to wait is asked about the end alone when
    /// it comes again.
    pub fn mend<M: Mender>(&mut self, choice: usize, mender: &mut M) -> Next {
        let (Some(slots), Some(state)) =
            (self.choices.get(choice), self.turns.list.get_mut(choice))
        else {
            return Next::Done;
        };
        if matches!(state.stage, Stage::Closed(_)) {
            return Next::Done;
        }
        if state.is_open() {
            for slot in &slots.texts {
                mender.text(slot.channel, &slot.text, &mut state.flow(slot.channel));
            }
            for (number, call) in state.calls.iter_mut().enumerate() {
                call.extent = Extent::Whole;
                call.verdict = Some(mender.call(number, &call.as_wire()));
            }
        }
        let reason = slots.reason.clone().unwrap_or(Reason::Stop);
        let end = End::Finished(reason);
        let mut closed = Closed { is_finished: true, ..Closed::default() };
        let next = mender.finish(&end, &mut Closing { turn: state, closed: &mut closed });
        state.stage = match next {
            Next::Wait => Stage::Waiting(end),
            Next::Done => {
                settle_turn(state);
                Stage::Closed(closed)
            }
        };
        next
    }

    /// The body as it leaves: with what the menders changed, and the same bytes if they did not.
    #[must_use]
    pub fn write(&mut self) -> String {
        self.write_body()
    }

    /// The rules that fired.
    #[must_use]
    pub fn rules(&self) -> &[StreamRule] {
        &self.rules
    }
}

impl Choice {
    fn turn(&self, state: &TurnState) -> Turn {
        let text = |channel| {
            let own = self.texts.iter().filter(|slot| slot.channel == channel);
            own.map(|slot| slot.text.as_str()).collect::<String>()
        };
        Turn {
            reasoning: text(Channel::Reasoning),
            content: text(Channel::Content),
            calls: state.calls.iter().map(crate::turn::CallState::as_wire).collect(),
            reason: self.reason.clone(),
        }
    }
}

/// The member of a reply in which the model speaks.
const fn said_key(api: Api) -> &'static str {
    match api {
        Api::Chat => "choices",
        Api::Messages => "content",
        Api::Responses => "output",
        Api::Ollama => "message",
    }
}

/// Whether a call leaves.
fn leaves(verdict: Option<&Verdict>) -> bool {
    verdict != Some(&Verdict::Drop)
}
