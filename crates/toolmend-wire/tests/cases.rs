//! Runs each file under `cases/wire`: whole, byte by byte, at every split, and twice.

#[path = "support/play.rs"]
mod play;

use std::process::ExitCode;

use cases::Case;
use cases::harness::{Finding, Harness, Seen, under_root};
use play::{Played, Script};
use toolmend_wire::{Api, Body, Decoder, Delta, Framer, Reply, StreamRule};

const FOLDER: &str = "cases/wire";

fn main() -> ExitCode {
    let harness = Harness {
        folder: FOLDER,
        // What is `heard` is played to clients by `cargo xtask clients`.
        inputs: &["input", "reply", "mender", "heard"],
        outputs: &["rules", "output", "deltas", "turn"],
        optional: &["deltas"],
        see: |case| match case.block("reply") {
            Some(_) => see_reply(case),
            None => see_stream(case),
        },
        holds: |_| Ok(()),
        also: &[("every rule has a case", every_rule_has_a_case)],
    };
    harness.main()
}

fn every_rule_has_a_case() -> Finding {
    let mut seen = String::new();
    for path in cases::find(&under_root(FOLDER)).map_err(|error| error.to_string())? {
        seen += Case::read(&path)?.text("rules");
        seen.push('\n');
    }
    for rule in StreamRule::ALL {
        let has_case = |line: &str| line.split(' ').next() == Some(rule.id());
        if !seen.lines().any(has_case) {
            return Err(format!("rule {} has no case", rule.id()));
        }
    }
    Ok(())
}

fn api(block: &cases::Block) -> Result<Api, String> {
    let name = block.option("api").ok_or("a case says which api it is")?;
    Api::ALL.into_iter().find(|api| api.as_str() == name).ok_or(format!("no api {name}"))
}

/// The line break before the closing fence belongs to a stream, unless it is `unended`.
fn bytes(block: &cases::Block) -> Result<Vec<u8>, String> {
    let mut bytes = match block.option("escapes") {
        Some(_) => cases::unescape(block.text())?,
        None => block.text().as_bytes().to_vec(),
    };
    if block.option("unended").is_none() {
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn see_stream(case: &Case) -> Result<Seen, String> {
    let input = case.block("input").ok_or("a case has an input")?;
    let (api, bytes) = (api(input)?, bytes(input)?);
    frames_keep_bytes(api, &bytes)?;
    let script = case.block("mender").map(|block| Script::read(block.text()));
    let play = |pieces: &mut dyn Iterator<Item = &[u8]>| match &script {
        Some(script) => play::relay(api, script, pieces),
        None => play::normalize(api, pieces),
    };
    let whole = play(&mut [bytes.as_slice()].into_iter());
    let single = play(&mut bytes.chunks(1));
    agree(&whole, &single, "byte by byte")?;
    for at in play::splits(bytes.len()) {
        let (head, tail) = bytes.split_at(at);
        agree(&whole, &play(&mut [head, tail].into_iter()), &format!("split at {at}"))?;
    }
    twice_is_once(api, &whole)?;
    if script.is_none() && (whole.out == bytes) != whole.rules.is_empty() {
        return Err(format!("bytes change if and only if a rule fires: {:?}", whole.rules));
    }
    let output = String::from_utf8_lossy(&whole.out).into_owned();
    let output = output.strip_suffix('\n').unwrap_or(&output).to_owned();
    let rules = whole.rules.iter().map(|(rule, count)| format!("{} {count}", rule.id()));
    Ok(vec![
        ("rules", rules.collect::<Vec<_>>().join("\n")),
        ("output", if whole.out == bytes { String::new() } else { output }),
        ("deltas", deltas(api, &bytes)),
    ])
}

fn agree(whole: &Played, other: &Played, how: &str) -> Finding {
    match whole == other {
        true => Ok(()),
        false => Err(format!(
            "{how}: {:?}\n{}\nwhole: {:?}\n{}",
            other.rules,
            String::from_utf8_lossy(&other.out),
            whole.rules,
            String::from_utf8_lossy(&whole.out)
        )),
    }
}

fn twice_is_once(api: Api, once: &Played) -> Finding {
    let twice = play::normalize(api, [once.out.as_slice()]);
    match twice.out == once.out && twice.rules.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "twice is not once: {:?}\n{}\nonce:\n{}",
            twice.rules,
            String::from_utf8_lossy(&twice.out),
            String::from_utf8_lossy(&once.out)
        )),
    }
}

fn frames_keep_bytes(api: Api, bytes: &[u8]) -> Finding {
    let mut framer = Framer::new(api.framing(), 1 << 20);
    let mut joined = Vec::new();
    for piece in bytes.chunks(3) {
        framer.push(piece);
        while let Some(frame) = framer.next_frame() {
            joined.extend_from_slice(&frame.raw);
        }
    }
    while let Some(frame) = framer.finish() {
        if frame.body == Body::Oversize {
            return Err("a frame is over the limit".to_owned());
        }
        joined.extend_from_slice(&frame.raw);
    }
    match joined == bytes {
        true => Ok(()),
        false => Err("joined, the frames are not the stream".to_owned()),
    }
}

fn deltas(api: Api, bytes: &[u8]) -> String {
    let mut decoder = Decoder::new(api);
    let mut deltas = Vec::new();
    decoder.push(bytes, &mut deltas);
    decoder.finish(&mut deltas);
    let lines = deltas.iter().map(|(choice, delta)| format!("{choice} {}", show(delta)));
    lines.collect::<Vec<_>>().join("\n")
}

fn show(delta: &Delta) -> String {
    match delta {
        Delta::Role => "role".to_owned(),
        Delta::Text(channel, text) => format!("{channel:?} {text:?}").to_lowercase(),
        Delta::CallStart(call) => format!("call {call} starts"),
        Delta::CallArguments(call, text) => format!("call {call} {text:?}"),
        Delta::Call(call, wire) => {
            format!("call {call} is {} {} {}", wire.id, wire.name, wire.arguments)
        }
        other => format!("{other:?}").to_lowercase(),
    }
}

fn see_reply(case: &Case) -> Result<Seen, String> {
    let block = case.block("reply").ok_or("a case has a reply")?;
    let (api, body) = (api(block)?, block.text());
    let mut reply = Reply::read(api, body.as_bytes()).ok_or("no reply of this api")?;
    let turns = reply.turns();
    let script = Script::read(case.text("mender"));
    for choice in 0..turns.len() {
        let mut mender = play::Scripted::new(&script, choice);
        while reply.mend(choice, &mut mender) == toolmend_wire::Next::Wait {}
    }
    let out = reply.write();
    if case.block("mender").is_none() && (out == body) != reply.rules().is_empty() {
        return Err(format!("bytes change if and only if a rule fires: {:?}", reply.rules()));
    }
    let mut again = Reply::read(api, out.as_bytes()).ok_or("what was written is no reply")?;
    if again.write() != out {
        return Err("twice is not once".to_owned());
    }
    let rules: Vec<_> = reply.rules().iter().map(|rule| rule.id()).collect();
    let told = turns.iter().enumerate().map(|(number, turn)| {
        let calls = turn
            .calls
            .iter()
            .map(|call| format!("{number} call {} {} {}\n", call.id, call.name, call.arguments));
        format!(
            "{number} reasoning {:?}\n{number} content {:?}\n{}{number} {:?}",
            turn.reasoning,
            turn.content,
            calls.collect::<String>(),
            turn.reason
        )
    });
    Ok(vec![
        ("rules", rules.join("\n")),
        ("output", if out == body { String::new() } else { out }),
        ("turn", told.collect::<Vec<_>>().join("\n")),
    ])
}
