//! Words of those who look at the world before they go on, and who do what they were asked to.

use super::words::Class::{
    Ahead, Ask, Call, Can, Cite, Danger, Deny, Forbid, Form, If, May, Not, Other, Part, Past, Real,
    Run, Saying, Show, Showing, Source, You,
};
use super::words::Words;

/// How the writer begins who is about to look.
const BEGUN: [&str; 12] = [
    "let me ",
    "i'll ",
    "i will ",
    "i need to ",
    "i want to ",
    "i should ",
    "i have to ",
    "i must ",
    "i'd like to ",
    "i would like to ",
    "we need to ",
    "we should ",
];
/// What he does.
const LOOKS: [&str; 8] =
    ["see", "check", "find out", "understand", "look at", "look up", "figure out", "verify"];
/// What he asks of the world.
const ASKED: [&str; 10] =
    ["what", "what's", "how", "where", "why", "whether", "which", "if", "who", "when"];
/// What he asks it of, where it has no name of its own.
const GIVEN: [&str; 8] = ["it", "they", "the", "this", "that", "we", "there", "is"];

fn parts(text: &str) -> Vec<&str> {
    let is_apart = |c: char| !c.is_alphanumeric() && c != '\'';
    text.split(is_apart).filter(|word| !word.is_empty()).collect()
}

/// Whether a sentence that is over says that the writer looks what is so: `Let me see what it looks like`,
/// `I should look at this`. What it would be, how something is written, and what calls are, is told.
pub(super) fn looks(sentence: &str) -> bool {
    let sentence = sentence.trim();
    let start = ["first, ", "now ", "so ", "okay, ", "ok, "];
    let sentence = start.iter().find_map(|start| sentence.strip_prefix(start)).unwrap_or(sentence);
    let Some(rest) = BEGUN.iter().find_map(|begun| sentence.strip_prefix(begun)) else {
        return false;
    };
    let rest = rest.strip_prefix("first ").unwrap_or(rest);
    let Some(rest) = LOOKS.iter().find_map(|looks| rest.strip_prefix(looks)?.strip_prefix(' '))
    else {
        return false;
    };
    let all = parts(rest);
    if let [object] = all.as_slice() {
        return matches!(*object, "this" | "that" | "it") && sentence.ends_with('.');
    }
    let [asked, subject, ..] = all.as_slice() else { return false };
    let matter = rest.replace(" looks like", "").replace(" look like", "");
    let words = Words::of(matter.strip_prefix(asked).unwrap_or(&matter));
    let of_text = [
        Show, Showing, Call, You, Other, May, Can, If, Not, Forbid, Deny, Danger, Run, Past, Part,
        Ahead, Real, Cite, Ask,
    ];
    let is_told = words.has(Saying) && !TOLD.contains(all.last().unwrap_or(&""));
    let is_named = GIVEN.contains(subject) || *asked == "what's";
    let is_written = words.has(Source) && words.has(Form);
    ASKED.contains(asked) && is_named && !words.has_any(&of_text) && !is_told && !is_written
}

/// Whether a sentence looks whether the reader wants it, or has him look: `Let me check whether you want
/// it`, `You should look at this`.
pub(super) fn has_reader_look(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let all = parts(sentence);
    let is_asked = BEGUN.iter().any(|begun| sentence.trim_start().starts_with(begun))
        && [" if ", " whether "].iter().any(|asked| {
            sentence.split_once(asked).is_some_and(|(_, rest)| {
                let of_leave = ["i may ", "i'm allowed", "i am allowed", "we may "];
                of_leave.iter().any(|leave| rest.starts_with(leave))
                    || WANTED.iter().any(|wanted| rest.starts_with(wanted))
            })
        });
    let is_told =
        matches!(all.as_slice(), ["you", "should" | "can" | "could" | "must" | "may", ..])
            || sentence.contains("want you to ");
    is_asked || is_told && words.has(Showing)
}

/// What the reader is asked for who is to say yes.
const WANTED: [&str; 6] =
    ["you want", "you agree", "you like", "you approve", "you are fine", "you're fine"];

/// What a thing of the world does that holds text.
const TOLD: [&str; 7] = ["contains", "says", "holds", "has", "shows", "defines", "includes"];

/// Whether words that lead in say that what was asked for is done, and nothing else: `As requested`, `Per
/// your request`.
pub(super) fn serves(sentence: &str) -> bool {
    let sentence = sentence.trim().trim_end_matches(|c: char| !c.is_alphanumeric());
    if SERVED.contains(&sentence) {
        return true;
    }
    // What the reader gave is used, if it is no text.
    let used = ["using the ", "with the "].iter().find_map(|using| sentence.strip_prefix(using));
    let Some(used) = used else { return false };
    let all = parts(used);
    let given = ["you gave me", "you gave", "you provided", "you mentioned", "you specified"];
    let thing = given.iter().find_map(|given| used.strip_suffix(given));
    thing.is_some()
        && all.first().is_some_and(|thing| THINGS.contains(thing))
        && thing.is_some_and(|thing| parts(thing).len() == 1)
}

/// Ways to say that something is done because it was asked for.
const SERVED: [&str; 14] = [
    "as requested",
    "as you requested",
    "as you asked",
    "per your request",
    "as per your request",
    "at your request",
    "wie gewünscht",
    "comme demandé",
    "como pediste",
    "come richiesto",
    "как вы просили",
    "按照您的要求",
    "按照你的要求",
    "按您的要求",
];
/// What a reader gives that tools take.
const THINGS: [&str; 12] = [
    "path", "id", "name", "address", "url", "location", "date", "city", "number", "file", "query",
    "values",
];

/// Whether a title says that a call of the writer's own is made again, as it should have been: `My call
/// had the wrong path. Here's the corrected one`. Behind words about a call of others, it is theirs.
pub(super) fn mends(before: &str, title: &str) -> bool {
    let all = parts(title);
    let is_call = matches!(
        all.as_slice(),
        ["corrected" | "fixed" | "retried", "call" | "request" | "query"]
            | ["corrected" | "fixed", "tool" | "function", "call"]
    );
    let is_one = matches!(
        all.as_slice(),
        ["here's" | "here", "the", "corrected" | "fixed" | "right", "one"]
            | ["here", "is", "the", "corrected" | "fixed" | "right", "one"]
    );
    let words = Words::of(before);
    let of_others = words.has_any(&[You, Other, Source, Show]);
    let is_own = ["my ", "i "].iter().any(|own| before.contains(own)) && words.has(Call);
    !of_others && (is_call && (before.is_empty() || is_own) || is_one && is_own)
}
