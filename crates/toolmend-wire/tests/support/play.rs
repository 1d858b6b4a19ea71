//! Plays a stream through a relay: whole, in pieces, and with a mender that follows a script.

use toolmend_wire::{
    Api, Channel, Closing, End, Flow, Mender, Next, Normalizer, Reason, Relay, StreamRule, Verdict,
    WireCall,
};

/// What a relay made of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) out: Vec<u8>,
    pub(crate) rules: Vec<(StreamRule, usize)>,
}

/// The stream through a normalizer, in these pieces.
pub(crate) fn normalize<'p>(api: Api, pieces: impl IntoIterator<Item = &'p [u8]>) -> Played {
    let mut normalizer = Normalizer::new(api);
    let mut out = Vec::new();
    for piece in pieces {
        normalizer.push(piece, &mut out);
    }
    normalizer.finish(&mut out);
    Played { out, rules: normalizer.rules().to_vec() }
}

/// The stream through a relay with scripted menders, in these pieces.
pub(crate) fn relay<'p>(
    api: Api,
    script: &Script,
    pieces: impl IntoIterator<Item = &'p [u8]>,
) -> Played {
    let script = script.clone();
    let mut relay = Relay::new(api, toolmend_wire::Options::default(), move |choice| {
        Scripted::new(&script, choice)
    });
    let mut out = Vec::new();
    for piece in pieces {
        relay.push(piece, &mut out);
    }
    relay.finish(&mut out);
    let mut rounds = 0;
    while relay.is_waiting() && rounds < 9 {
        rounds += 1;
        relay.resume(&mut out);
    }
    Played { out, rules: relay.rules().to_vec() }
}

/// What a mender is to do, one order on each line:
/// `cut TEXT`, `replace TEXT => TEXT`, `change N NAME ARGUMENTS`, `drop N`, `wait N`,
/// `add ID NAME ARGUMENTS`, `say TEXT`, `reason WORD`, `pause`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    orders: Vec<(String, String)>,
}

impl Script {
    pub(crate) fn read(text: &str) -> Self {
        let orders = text.lines().map(|line| {
            let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
            (verb.to_owned(), rest.to_owned())
        });
        Self { orders: orders.collect() }
    }
}

/// Follows a script in the first choice, and leaves the others alone.
pub(crate) struct Scripted {
    orders: Vec<(String, String)>,
    calls_seen: usize,
    held: String,
    has_paused: bool,
}

impl Scripted {
    pub(crate) fn new(script: &Script, choice: usize) -> Self {
        let orders = if choice == 0 { script.orders.clone() } else { Vec::new() };
        Self { orders, calls_seen: 0, held: String::new(), has_paused: false }
    }

    fn of(&self, verb: &str) -> impl Iterator<Item = &str> {
        self.orders.iter().filter(move |(own, _)| own == verb).map(|(_, rest)| rest.as_str())
    }

    /// The texts to look for, and what becomes of them.
    fn edits(&self) -> Vec<(String, String)> {
        let cuts = self.of("cut").map(|text| (text.to_owned(), String::new()));
        let replaced = self.of("replace").filter_map(|rest| rest.split_once(" => "));
        cuts.chain(replaced.map(|(from, to)| (from.to_owned(), to.to_owned()))).collect()
    }

    fn verdict(&self, number: usize) -> Option<Verdict> {
        let number = number.to_string();
        let is_it = |rest: &&str| rest.split(' ').next() == Some(number.as_str());
        if self.of("drop").any(|rest| is_it(&rest)) {
            return Some(Verdict::Drop);
        }
        let order = self.of("change").find(is_it)?;
        let mut words = order.splitn(3, ' ').skip(1).map(str::to_owned);
        let (name, arguments) = (words.next()?, words.next()?);
        Some(Verdict::Change(WireCall { id: String::new(), name, arguments }))
    }
}

impl Mender for Scripted {
    fn text(&mut self, channel: Channel, text: &str, flow: &mut Flow<'_>) {
        if channel == Channel::Reasoning {
            return flow.keep_all();
        }
        self.held.push_str(text);
        loop {
            let edits = self.edits();
            let found = edits.iter().filter_map(|(from, to)| {
                Some((self.held.find(from.as_str())?, from.len(), to.as_str()))
            });
            let Some((at, length, with)) = found.min() else { break };
            flow.keep(at);
            flow.replace(length, with);
            self.held.drain(..at + length);
        }
        // What may be the start of a text that is looked for stays held.
        let starts = |tail: &str| self.edits().iter().any(|(from, _)| from.starts_with(tail));
        let mut ends = self.held.char_indices().map(|(at, _)| at);
        let hold = ends.find(|at| starts(self.held.split_at(*at).1)).unwrap_or(self.held.len());
        flow.keep(hold);
        self.held.drain(..hold);
    }

    fn call(&mut self, _: usize, call: &WireCall) -> Verdict {
        let number = self.calls_seen;
        self.calls_seen += 1;
        if self.of("wait").any(|rest| rest == number.to_string()) {
            return Verdict::Wait;
        }
        match self.verdict(number) {
            Some(Verdict::Change(changed)) => {
                Verdict::Change(WireCall { id: call.id.clone(), ..changed })
            }
            verdict => verdict.unwrap_or(Verdict::Keep),
        }
    }

    fn finish(&mut self, _: &End, closing: &mut Closing<'_>) -> Next {
        if self.of("pause").next().is_some() && !self.has_paused {
            self.has_paused = true;
            return Next::Wait;
        }
        let waiting: Vec<_> = closing.waiting().collect();
        for (number, call, _) in waiting {
            match self.verdict(number) {
                Some(Verdict::Change(changed)) => {
                    closing.judge(number, Verdict::Change(WireCall { id: call.id, ..changed }));
                }
                Some(verdict) => closing.judge(number, verdict),
                None => {}
            }
        }
        let orders = self.orders.clone();
        for (verb, rest) in &orders {
            match verb.as_str() {
                "add" => {
                    let mut words = rest.splitn(3, ' ').map(str::to_owned);
                    let mut next = || words.next().unwrap_or_default();
                    let call = WireCall { id: next(), name: next(), arguments: next() };
                    closing.add_call(call);
                }
                "say" => closing.add_text(Channel::Content, rest),
                "reason" => closing.set_reason(reason(rest)),
                _ => {}
            }
        }
        Next::Done
    }
}

fn reason(word: &str) -> Reason {
    match word {
        "stop" => Reason::Stop,
        "calls" => Reason::Calls,
        "length" => Reason::Length,
        "filter" => Reason::Filter,
        other => Reason::Other(other.to_owned()),
    }
}

/// Every place to split at, or some 500 of them, evenly spread.
pub(crate) fn splits(bytes: usize) -> impl Iterator<Item = usize> {
    let step = if bytes > 2048 { bytes / 500 } else { 1 };
    (0..=bytes).step_by(step.max(1))
}
