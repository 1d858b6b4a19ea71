//! Asks the model again where mending is not enough, and mends what comes of it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderMap;
use http::request::Parts;
use tokio::time::{Instant, timeout_at};
use toolmend::{
    Abilities, Ask, Continuation, Ended, Kind, Mended, Next, Recovery, StormMode, emit_ask,
    emit_incomplete, emit_status,
};
use toolmend_wire::{Api, Reply, Turn, Usage, error_message};

use crate::App;
use crate::body::collect;
use crate::exchange::{
    Asked, Context, Demand, Heard, Inquiry, Later, Outcome, ask_request, can_continue, declared,
    mined_turn, prefix_text, reason_word,
};
use crate::handle::{REPLY_BYTES_MAX, send_whole};

/// The header in which clients of `OpenAI` and Anthropic say how many seconds they wait.
const TIMEOUT_HEADER: &str = "x-stainless-timeout";

/// Asks a server again what a client asked it.
pub(crate) struct Asker {
    app: Arc<App>,
    api: Api,
    /// What the reply is called in events.
    id: String,
    /// The request as it went up; its head names the server, and no length.
    head: Parts,
    body: Bytes,
    context: Arc<Context>,
    continuation: Continuation,
    demand: Demand,
    /// When the client stops to wait, where it says so.
    deadline: Option<Instant>,
}

/// What came of an ask.
struct Answer {
    came: Heard,
    turn: Mended,
    later: Later,
    usage: Usage,
}

impl Asker {
    pub(crate) fn new(
        app: &Arc<App>,
        (api, id): (Api, String),
        (head, body): (Parts, Bytes),
        context: &Arc<Context>,
    ) -> Self {
        let own = context.profile.continuation;
        let (detected, demand) = app.servers.of(&context.model).ways();
        Self {
            app: Arc::clone(app),
            api,
            id,
            deadline: deadline(&head.headers),
            head,
            body,
            context: Arc::clone(context),
            continuation: own.unwrap_or(detected),
            demand,
        }
    }

    /// The machine that says when to ask.
    pub(crate) fn recovery(&self) -> Recovery {
        let settings = &self.app.settings;
        let can_continue = can_continue(self.api, self.continuation);
        Recovery::new(settings.ask, Abilities { can_continue }).with_storms(settings.storm.mode)
    }

    /// Asks until there is something to deliver. `told` are the tokens that the server counted.
    pub(crate) async fn run(self: Arc<Self>, inquiry: Box<Inquiry>, told: Usage) -> Outcome {
        let Inquiry { mut recovery, mut ask, mut ended, first, said } = *inquiry;
        let (mut turn, mut later, mut usage) = (first.clone(), None, Usage::default());
        let mut asked = Vec::new();
        // Nothing was lost where the model wrote nothing but its end.
        let is_empty = ended == Ended::Emptied && told.output <= 1;
        let chain = (ended == Ended::Broken).then(|| self.context.chain());
        let delivery = loop {
            if is_empty || self.is_late() {
                break recovery.give_up(ended, turn);
            }
            emit_ask(&self.context.model, ask.kind, recovery.asks());
            if let (Some(chain), Ended::Broken) = (chain, ended) {
                emit_incomplete(&self.id, chain, recovery.asks());
            }
            self.app.sinks.counters().record_ask(&self.context.model, ask.kind);
            let answer = self.ask(&ask, &said).await;
            if self.app.sinks.keep().has_texts() {
                let came = answer.as_ref().map(|answer| answer.came.clone());
                asked.push(Asked { ask: ask.clone(), came });
            }
            let told = match answer {
                Some(answer) => {
                    // Who waits on purpose says so; who repeats itself without a word is stuck.
                    if ask.kind == Kind::Reflect && answer.later.content.trim().is_empty() {
                        recovery = recovery.with_storms(StormMode::Stop);
                    }
                    usage = usage.plus(answer.usage);
                    later = Some(answer.later);
                    (Ended::Whole, answer.turn)
                }
                // A turn that broke stays broken; what was there before is still there.
                None if is_fetch(ask.kind) && ended == Ended::Broken => {
                    (Ended::Broken, Mended::default())
                }
                None => (Ended::Whole, turn),
            };
            (ended, turn) = told;
            match recovery.told(ended, turn.clone()) {
                Next::Deliver(delivery) => break *delivery,
                Next::Ask(next) => ask = *next,
            }
        };
        if let Some(chain) = chain {
            emit_status(&self.id, chain, recovery.asks(), later.is_some());
        }
        Outcome { first, said, delivery, later, usage, asks: recovery.asks(), asked }
    }

    /// Whether nobody waits for another answer.
    fn is_late(&self) -> bool {
        let is_past = |deadline| deadline <= Instant::now();
        self.deadline.is_some_and(is_past) || self.app.is_ending()
    }

    async fn ask(&self, ask: &Ask, said: &str) -> Option<Answer> {
        let ways = (self.continuation, self.demand);
        let request = ask_request(self.api, &self.body, ask, said, ways)?;
        let body = Bytes::from(request.body().to_owned());
        let server = self.app.servers.of(&self.context.model);
        let fetch = async {
            let response = send_whole(&self.app, server, (&self.head, &body)).await.ok()?;
            let (head, body) = response.into_parts();
            let body = collect(body, REPLY_BYTES_MAX, self.app.idle_wait()).await.ok()?;
            Some((head.status.is_success(), body))
        };
        let fetch = async {
            tokio::select! {
                fetched = fetch => fetched,
                () = self.app.ended() => None,
            }
        };
        let (is_success, body) = match self.deadline {
            Some(deadline) => timeout_at(deadline, fetch).await.ok()??,
            None => fetch.await?,
        };
        if is_success { self.read(ask, said, &body) } else { self.mine(&body) }
    }

    /// Reads a reply to an ask.
    fn read(&self, ask: &Ask, said: &str, body: &[u8]) -> Option<Answer> {
        let reply = Reply::read(self.api, body)?;
        let came = reply.turns().into_iter().next()?;
        let content = match &ask.prefix {
            Some(prefix) => joined(prefix_text(prefix, said), &came),
            None => came.content.clone(),
        };
        let turn = self.mend(&came, content.clone());
        // Whoever was asked for the rest of a call and gave none leaves the call as it was, and so
        // does whoever says nothing.
        let is_silent = content.trim().is_empty() && turn.refused.is_empty();
        if turn.calls.is_empty() && (ask.prefix.is_some() || is_silent) {
            return None;
        }
        let later = Later {
            content: turn.content.clone().unwrap_or(content),
            reasoning: came.reasoning,
            reason: came.reason,
            supersedes: matches!(ask.kind, Kind::Continue | Kind::Refetch),
        };
        let mut heard = Heard { content: came.content, ..Heard::default() };
        heard.calls(came.calls.iter());
        heard.reasoning.clone_from(&later.reasoning);
        Some(Answer { came: heard, turn, later, usage: reply.usage() })
    }

    fn mend(&self, came: &Turn, content: String) -> Mended {
        let turn = toolmend::Turn {
            id: self.app.next_id(),
            reasoning: came.reasoning.clone(),
            content,
            calls: came
                .calls
                .iter()
                .map(|call| declared(&self.context.flat().meant(call)))
                .collect(),
            finish: came.reason.as_ref().and_then(reason_word).map(str::to_owned),
        };
        self.context.request().mend(turn)
    }

    /// Reads an error that quotes what the model wrote.
    fn mine(&self, body: &[u8]) -> Option<Answer> {
        let message = error_message(body)?;
        let turn = mined_turn(&self.context.request(), &message)?;
        let later = Later {
            content: String::new(),
            reasoning: String::new(),
            reason: None,
            supersedes: true,
        };
        let came = Heard { content: message, ..Heard::default() };
        Some(Answer { came, turn, later, usage: Usage::default() })
    }
}

/// The text that was begun and the rest of it. Some servers tell the beginning again.
fn joined(prefix: String, came: &Turn) -> String {
    match came.content.starts_with(&prefix) || !came.calls.is_empty() {
        true => came.content.clone(),
        false => prefix + &came.content,
    }
}

fn is_fetch(kind: Kind) -> bool {
    matches!(kind, Kind::Refetch | Kind::Proceed)
}

fn deadline(headers: &HeaderMap) -> Option<Instant> {
    let seconds: f64 = headers.get(TIMEOUT_HEADER)?.to_str().ok()?.trim().parse().ok()?;
    let wait = Duration::try_from_secs_f64(seconds).ok().filter(|wait| !wait.is_zero())?;
    Instant::now().checked_add(wait)
}
