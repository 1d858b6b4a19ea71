//! Runs each file under `cases/wire`: whole, byte by byte, at every split, and twice.
//! `UPDATE=1` rewrites the expectations in place; `UPDATE=output` only that, and the others must
//! still hold.

#[path = "support/play.rs"]
mod play;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use cases::Case;
use libtest_mimic::{Arguments, Trial};
use play::{Played, Script};
use toolmend_wire::{Api, Body, Decoder, Delta, Framer, Reply, StreamRule};

/// Where this crate's cases are.
const ROOT: &str = "../..";

/// Blocks that say what goes in.
const INPUTS: [&str; 3] = ["input", "reply", "mender"];

/// What clients make of it: played to them by `cargo xtask clients`.
const HEARD: &str = "heard";

/// Blocks that say what must come out.
const OUTPUTS: [&str; 4] = ["rules", "output", "deltas", "turn"];

type Finding = Result<(), String>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(ROOT);
    let update = env::var("UPDATE").unwrap_or_default();
    let trials = match cases::find(&root.join("cases/wire")) {
        Ok(paths) => {
            let all = paths.clone();
            let every = Trial::test("every rule has a case", move || {
                every_rule_has_a_case(&all).map_err(Into::into)
            });
            let trials = paths.into_iter().map(|path| trial(root, path, update.clone()));
            trials.chain([every]).collect()
        }
        Err(error) => vec![Trial::test("cases/wire", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(root: &Path, path: PathBuf, update: String) -> Trial {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    Trial::test(name, move || run(&path, &update).map_err(Into::into))
}

fn every_rule_has_a_case(paths: &[PathBuf]) -> Finding {
    let mut seen = String::new();
    for path in paths {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        seen += Case::parse(&text)?.text("rules");
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

fn run(path: &Path, update: &str) -> Finding {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut case = Case::parse(&text)?;
    let known = |name: &str| INPUTS.contains(&name) || OUTPUTS.contains(&name) || name == HEARD;
    if let Some(block) = case.blocks().find(|block| !known(block.name())) {
        return Err(format!("no harness knows the block `{}`", block.name()));
    }
    let seen = match case.block("reply") {
        Some(_) => see_reply(&case)?,
        None => see_stream(&case)?,
    };
    if !update.is_empty() {
        for name in
            OUTPUTS.iter().filter(|name| update == "1" || update.split(',').any(|u| u == **name))
        {
            // Deltas are told where a case asks for them.
            if *name != "deltas" || case.block(name).is_some() {
                case.set(name, seen.text(name));
            }
        }
        fs::write(path, case.to_markdown()).map_err(|error| error.to_string())?;
    }
    for name in OUTPUTS {
        let (expected, found) = (case.text(name), seen.text(name));
        let is_optional = name == "deltas" && case.block(name).is_none();
        if expected != found && !is_optional {
            return Err(format!("{name}\nexpected:\n{expected}\nfound:\n{found}"));
        }
    }
    Ok(())
}

/// What came out, by block.
#[derive(Default)]
struct Seen(Vec<(&'static str, String)>);

impl Seen {
    fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| *own == name).map_or("", |(_, text)| text)
    }
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
    Ok(Seen(vec![
        ("rules", rules.collect::<Vec<_>>().join("\n")),
        ("output", if whole.out == bytes { String::new() } else { output }),
        ("deltas", deltas(api, &bytes)),
    ]))
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
    Ok(Seen(vec![
        ("rules", rules.join("\n")),
        ("output", if out == body { String::new() } else { out }),
        ("turn", told.collect::<Vec<_>>().join("\n")),
    ]))
}
