//! What the words after a region say about it: that its result is waited for, or that it was only
//! shown.
//!
//! Who has called goes on: with what comes next, with what the call does, with the answer. Who has
//! shown speaks of the text: points back at it, makes less of it, takes it apart, asks for leave.

use super::lead::{POLITE, is_doing};
use super::sentences::{clauses, sentences};
use super::words::Class::{
    self, Act, Advise, Ahead, Also, Announce, Ask, Back, Be, Call, Can, Danger, Deny, Drop, Effect,
    Else, Forbid, Form, If, May, Not, Now, Only, Other, Part, Past, Plain, Real, Run, Saying, Show,
    Showing, Source, Thing, Time, Wait, Writer, Yes, You,
};
use super::words::Words;

/// What the words after a region say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Silent,
    Example,
    Refusal,
}

/// Whether marks stand around a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Marked,
    Bare,
}

/// What the words before a region say of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// It was announced.
    Announced,
    /// It was not, or something else was.
    Silent,
}

/// So many characters after a region are looked at.
const AFTER_CHARS: usize = 240;
/// A remark shorter than this needs no subject.
const REMARK_CHARS: usize = 60;

/// Reads the words after a region: only what speaks of the region itself. `has_next` says that
/// another region follows them. Behind marks, words that speak of the call at all take it back,
/// unless they tell what it does; a shape without marks is often explained. A call that was announced
/// may be explained in either shape.
pub(crate) fn after(text: &str, has_next: bool, shape: Shape, before: Before) -> After {
    let text = text.to_lowercase().replace('’', "'");
    if points_up(&text) || is_verdict(&text) {
        return After::Example;
    }
    let is_said = |paragraph: &&str| {
        paragraph.chars().any(char::is_alphanumeric) && !paragraph.starts_with(['`', '~'])
    };
    let mut paragraphs = text.split("\n\n").map(str::trim).filter(is_said);
    let first = paragraphs.next().unwrap_or_default();
    let leads_on = match paragraphs.next() {
        Some(second) => second.starts_with('>'),
        None => has_next,
    };
    // What has a call of its own in it speaks of that one.
    let leads_on = leads_on || first.contains(['{', '<']) || first.contains("=\"");
    let end = first.char_indices().nth(AFTER_CHARS).map_or(first.len(), |(at, _)| at);
    let is_bare = shape == Shape::Bare;
    // What stands behind a heading is another matter; marks are looked at more closely.
    let is_heading = |sentence: &&str| sentence.starts_with('#');
    // What closes the comment or the list around a region says nothing.
    let is_said = |line: &&str| line.chars().any(char::is_alphanumeric);
    let mut said = sentences(first.get(..end).unwrap_or_default()).filter(is_said);
    let is_going_on = said.clone().next().is_some_and(|sentence| {
        let words = Words::of(sentence);
        goes_on(sentence, &words) || does(&words)
    });
    let is_taken_back = |sentence| takes_back(sentence, is_going_on);
    if said.clone().any(drops) || !leads_on && said.clone().skip(1).any(is_taken_back) {
        return After::Refusal;
    }
    match said.find(|line| is_bare || !is_heading(line)) {
        Some(sentence) if is_bare && is_heading(&sentence) => After::Silent,
        Some(sentence) if leads_away(sentence) => After::Silent,
        Some(sentence) if !leads_on || is_apart(sentence) => match remark(sentence, shape) {
            After::Example if before == Before::Announced && explains(&Words::of(sentence)) => {
                After::Silent
            }
            After::Example | After::Refusal
                if before == Before::Announced && !is_bare && speaks_of_other(sentence) =>
            {
                After::Silent
            }
            after => after,
        },
        _ => After::Silent,
    }
}

/// Marks of those who point at what stands over them.
const ARROWS: [&str; 7] = ["^", "<-", "<=", "←", "↑", "⬆", "👆"];
/// What is said of a text that was looked through, and between two that are compared.
const VERDICTS: [&str; 24] = [
    "correct",
    "incorrect",
    "wrong",
    "valid",
    "invalid",
    "malformed",
    "richtig",
    "falsch",
    "korrekt",
    "correcto",
    "incorrecto",
    "correto",
    "incorreto",
    "corretto",
    "sbagliato",
    "правильно",
    "неправильно",
    "верно",
    "неверно",
    "正确",
    "错误",
    "不正确",
    "vs",
    "versus",
];

/// Whether words point at what stands over them: `^ this is what I meant`.
fn points_up(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\n', '(', '`', '*']);
    ARROWS.iter().any(|arrow| text.starts_with(arrow))
        && text.lines().next().is_some_and(|line| line.contains(char::is_alphabetic))
}

/// Whether a line only says of what stands before it whether it is right, or sets it beside another:
/// `(correct)`, `vs.`
pub(super) fn is_verdict(text: &str) -> bool {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let word = line.trim_matches(|c: char| !c.is_alphanumeric());
    VERDICTS.contains(&word)
}

/// Whether words behind several calls speak of all of them, and take them back: `Let me know if I should
/// run these calls`.
pub(crate) fn takes_all_back(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let end = text.char_indices().nth(AFTER_CHARS).map_or(text.len(), |(at, _)| at);
    sentences(text.get(..end).unwrap_or_default()).any(|sentence| {
        let is_apart = |c: char| !c.is_alphanumeric() && c != '\'';
        let mut words = sentence.split(is_apart);
        let speaks_of_all = words.any(|word| SEVERAL.contains(&word))
            || SEVERAL_UNSPACED.iter().any(|word| sentence.contains(word));
        speaks_of_all && remark(sentence, Shape::Marked) == After::Refusal
    })
}

/// Words for more than one.
const SEVERAL: [&str; 22] = [
    "these",
    "those",
    "them",
    "both",
    "neither",
    "calls",
    "requests",
    "queries",
    "diese",
    "beide",
    "aufrufe",
    "ces",
    "appels",
    "estas",
    "llamadas",
    "estes",
    "chamadas",
    "queste",
    "chiamate",
    "эти",
    "вызовы",
    "two",
];
const SEVERAL_UNSPACED: [&str; 5] = ["这些", "两个", "它们", "これら", "이것들"];

/// Whether a later sentence passes over the call, or asks the reader to: `Please ignore that`, `Do not
/// run this`, `Let me stop here`. What came before it need not say so. Where that goes on from the call,
/// `it` is what the call is about.
fn takes_back(sentence: &str, is_going_on: bool) -> bool {
    let sentence = sentence.trim_start();
    let polite = POLITE.iter().find_map(|polite| sentence.strip_prefix(polite));
    let words = Words::of(polite.unwrap_or(sentence).trim_start_matches([' ', ',']));
    if [Not, Forbid].into_iter().any(|no| forbids(&words, no, is_going_on)) {
        return true;
    }
    words.starts_with(Deny, &[Announce])
        && words.behind(Deny).is_some_and(|rest| {
            let rest = rest.trim().trim_end_matches(|c: char| !c.is_alphanumeric());
            let rest = Words::of(rest);
            let is_of_call = rest.has_any(&[Back, Call]) && rest.are_all(&[Back, Call, Plain]);
            !rest.has_words() || is_of_call
        })
}

/// Whether a sentence begins with this no, be it the writer's own, says it to running, and to nothing but
/// what stands before. Who reads a script and will not run it speaks of the script.
fn forbids(words: &Words<'_>, no: Class, is_going_on: bool) -> bool {
    let is_first = words.starts_with(no, &[Writer, Announce]);
    let is_own = is_first && !words.starts_with(no, &[]);
    let rest = words.behind_pair(no, Run).filter(|_| is_first);
    rest.is_some_and(|rest| {
        let is_thing = rest
            .split_whitespace()
            .next()
            .is_some_and(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()) == "it");
        let rest = Words::of(rest);
        let is_of_call = [Back, Call].into_iter().any(|class| rest.starts_with(class, &[]));
        !rest.has_words() || is_of_call && !(is_thing && (is_own || is_going_on))
    })
}

/// Whether a sentence lets go of what was just written: `Hmm, never mind.` Behind other words in its
/// clause it tells of something else.
fn drops(sentence: &str) -> bool {
    let last = clauses(sentence).last().copied().map(Words::of);
    last.is_some_and(|words| words.has(Drop) && words.are_all(&[Drop, Yes, Wait, Real]))
}

/// Whether a remark says no to what was just written, and nothing else: `Wait, no.`
pub(super) fn is_no(words: &Words<'_>) -> bool {
    words.has(Not) && words.are_all(&[Not, Wait, Time, Yes, Real])
}

/// Whether a remark begins so, before it goes on to something else: `No wait, this is easy`.
fn is_stopped(sentence: &str) -> bool {
    clauses(sentence).first().is_some_and(|clause| {
        let words = Words::of(clause);
        is_no(&words) && words.has_any(&[Wait, Time])
    })
}

/// Whether words only tell of what the call is made of, or what was thought of in it.
fn explains(words: &Words<'_>) -> bool {
    let is_yours = words.has(You) && words.has(Run);
    let of_show = [Show, Showing, Only, May, Real, Advise];
    !words.has_any(&of_show) && !is_yours && (words.has(Part) || !points_back(words))
}

/// Whether a sentence tells what a call that was announced shows of the world, or what the writer may do
/// as well: `This shows how it starts`, `Next, I'd fix it`. What speaks of calls, of text, or of the
/// reader does not, nor does what the writer might do with this.
fn speaks_of_other(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let of_call =
        [Call, You, Other, Source, Advise, Only, Real, Thing, Danger, Deny, Ask, Past, If, Wait];
    let is_apart = |c: char| !c.is_alphanumeric() && c != '\'';
    let parts: Vec<&str> = sentence.split(is_apart).filter(|part| !part.is_empty()).collect();
    let is_any = |list: &[&str], parts: &[&str]| parts.iter().any(|part| list.contains(part));
    if let [this, shows, rest @ ..] = parts.as_slice() {
        let rest = if *shows == "will" { rest.get(1..).unwrap_or_default() } else { rest };
        let shows =
            if *shows == "will" { parts.get(2).copied().unwrap_or_default() } else { shows };
        let rest = match rest {
            ["us" | "me", rest @ ..] => rest,
            _ => rest,
        };
        let is_question = rest.first().is_some_and(|asked| ASKED.contains(asked));
        let subject = rest.get(1).copied().unwrap_or_default();
        let told = Words::of(sentence.split(subject).last().unwrap_or_default());
        let is_of_text = told.has_any(&[Show, Part, Saying, Form, Run]) || words.has_any(&of_call);
        if matches!(*this, "this" | "that" | "it") && REVEALING.contains(&shows) && is_question {
            return rest.len() > 1 && subject != "to" && !is_of_text;
        }
    }
    let is_next = parts.first().is_some_and(|first| NEXT.contains(first));
    let is_also = is_next
        || parts.last().is_some_and(|last| ALSO.contains(last))
        || is_any(&["also"], &parts);
    let of_call =
        [Call, You, Other, Only, Real, Danger, Deny, Ask, Past, If, Show, Part, Not, Forbid];
    is_also
        && is_any(&DOERS, &parts)
        && words.has(May)
        && parts.len() > 4
        && !words.has_any(&of_call)
        && !is_any(&["this", "that", "it", "these", "those", "das", "es", "dies"], &parts)
}

/// The writer, as one who may do something.
const DOERS: [&str; 9] = ["i", "i'd", "we", "we'd", "ich", "wir", "je", "nous", "io"];
/// What shows something of the world.
const REVEALING: [&str; 6] = ["shows", "show", "tells", "reveals", "tell", "reveal"];
/// What it shows.
const ASKED: [&str; 6] = ["how", "what", "where", "whether", "why", "which"];
/// Words that go on to something else, at the start and at the end.
const NEXT: [&str; 11] = [
    "next",
    "then",
    "afterwards",
    "later",
    "danach",
    "dann",
    "anschließend",
    "ensuite",
    "después",
    "depois",
    "poi",
];
const ALSO: [&str; 6] = ["too", "well", "afterwards", "later", "next", "danach"];

/// Whether a sentence that leads on to the next region is about the one before: it is over, and
/// points back.
fn is_apart(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let is_over = sentence.trim_end().ends_with(['.', '!', '?', '。', '！', '？', ')', '）', '}']);
    let points = [Back, Only, Advise].into_iter().any(|class| words.starts_with(class, &[Yes]));
    let denies = words.has_any(&[Not, Forbid]) && words.has(Run) && words.has(Back);
    is_over && !words.has(Ahead) && (points || denies)
}

/// Whether a sentence leads to something else than a region.
fn leads_away(sentence: &str) -> bool {
    sentence.trim_end().ends_with([':', '：']) && !Words::of(sentence).has_any(&[Back, Only])
}

fn remark(sentence: &str, shape: Shape) -> After {
    let words = Words::of(sentence);
    let is_question = sentence.trim_end().ends_with(['?', '？']);
    if offers_more(&words, is_question) {
        return After::Silent;
    }
    let is_idle = words.has_any(&[Wait, Announce, Else]);
    // `Anything else you want me to do?` asks for leave to do something else.
    let is_offer = is_question && words.starts_with(Else, &[]);
    let asks = asks(&words, is_question) && !is_offer || is_question && !is_idle;
    let is_waiting = words.has(Wait);
    let denies = |clause: &str| denies(clause, is_waiting);
    if is_no(&words)
        || is_stopped(sentence)
        || clauses(sentence).into_iter().any(denies)
        || words.has(Danger)
        || asks
    {
        return After::Refusal;
    }
    // A sentence without a subject has the call for one.
    let starts = |class| words.starts_with(class, &[]);
    // Unless it says how long that takes.
    let is_timed = words.has(Time) && !words.has_any(&[Run, If, You, Form, Part, Only, Past]);
    let is_of_call = starts(Can) || starts(May) || starts(Also) || starts(Be) && !starts(Back);
    if is_of_call && !is_timed {
        return After::Example;
    }
    let is_short = sentence.chars().count() < REMARK_CHARS;
    match shape {
        Shape::Bare if !is_short && !waits(&words) => explanation(sentence, &words),
        Shape::Bare if does(&words) || goes_on(sentence, &words) => After::Silent,
        Shape::Bare => short_remark(&words),
        Shape::Marked if goes_on(sentence, &words) => After::Silent,
        Shape::Marked => marked_remark(&words, sentence),
    }
}

/// Whether a sentence asks what else there is to do: `If you need anything else, just ask`.
fn offers_more(words: &Words<'_>, is_question: bool) -> bool {
    let of_call =
        [Back, Part, Form, Show, Showing, Real, Advise, Not, Deny, Forbid, Danger, Run, Call, May];
    words.has(Else) && words.has(You) && (is_question || words.has(If)) && !words.has_any(&of_call)
}

/// What a long sentence behind a call without marks says: models that write such calls explain
/// them, by the name of the function.
fn explanation(sentence: &str, words: &Words<'_>) -> After {
    let is_named = words.has_any(&[Call, Part, Thing]) || sentence.contains('`');
    let is_yours = words.has(You) && words.has(Run);
    let is_shown = words.has_any(&[Show, May, Only]) || is_yours || points_back(words);
    let takes_apart = words.starts_with(Back, &[]) && words.has(Part) && !sentence.contains('`');
    let is_demo = words.has(Show) && words.has(Only)
        || takes_apart && !does(words)
        || words.starts_with(Advise, &[]);
    match (is_demo, is_named || does(words)) {
        (true, _) => After::Example,
        (false, false) if is_shown => After::Example,
        _ => After::Silent,
    }
}

/// What a short sentence behind a call without marks says.
fn short_remark(words: &Words<'_>) -> After {
    let of_form = [Show, Part, Form, Real, Showing, Other, Only, May, Advise];
    let is_yours = words.starts_with(You, &[]) || words.has(You) && words.has(Run);
    let of_thing = words.has(Thing) && words.has(Back);
    if words.has_any(&of_form) || of_thing || points_back(words) || is_yours {
        After::Example
    } else if words.has(Not) {
        After::Refusal
    } else {
        After::Silent
    }
}

/// What a sentence behind a marked call says that does not go on.
fn marked_remark(words: &Words<'_>, sentence: &str) -> After {
    let of_text =
        [Show, Part, Form, Real, Other, Past, Advise, Only, May, Back, Saying, Showing, Deny, If];
    // One word alone names a thing; it does not say where the call is from.
    let is_word = sentence.trim().split(' ').count() == 1 && sentence.is_ascii();
    let is_cited = words.has(Source) && !is_word;
    let is_yours = words.has(You) && words.has_any(&[Run, Call, Effect]);
    if words.has(Not) && !words.has(If) {
        After::Refusal
    } else if words.has_any(&of_text) || is_cited || is_yours {
        After::Example
    } else {
        After::Silent
    }
}

/// Whether a sentence goes on from the call: it says what the writer does next or has done, that
/// the result is waited for, or what the call does.
pub(super) fn goes_on(sentence: &str, words: &Words<'_>) -> bool {
    let of_form = words.has_any(&[Part, Form, Real]) || words.has(Thing) && words.has(Back);
    let of_call = words.has(Advise) || words.has(Other) && !words.has(Writer);
    // `This will return the log` says what the call does.
    let of_text = words.has_any(&[Source, Past])
        && words.has(Back)
        && !([Back, Call].into_iter().any(|call| words.has_adjacent(call, Effect)) && does(words));
    let is_offer = is_condition_of_yours(words) && words.has_any(&[Run, Act]);
    let is_demo = words.has(Only) && (of_form || words.has(Showing));
    if words.has(Else) && sentence.trim_end().ends_with(['?', '？']) {
        return true;
    }
    if words.has(Show) && (!words.has(Announce) || words.has_any(&[Back, Only])) {
        return false;
    }
    let is_called = words.has_adjacent(Writer, Run) && !words.has_any(&[Only, May, Real]);
    let is_next = (words.has(Announce) || is_called) && !is_offer && !is_demo;
    let is_timed = words.has(Time) && !of_form && !words.has(Advise);
    let is_now = words.has(Now) && words.has(Act) && !of_form && !words.has_any(&[Only, May, Past]);
    let acts = words.has_pair(Writer, Act) && !is_offer;
    let waits = words.has(Wait) || acts || does(words) || is_doing(sentence, words);
    is_next || is_timed || is_now || waits && !(of_form || of_call || of_text || words.has(May))
}

/// Whether a sentence says what the writer does once the result is there.
fn waits(words: &Words<'_>) -> bool {
    words.has(Wait) && words.has(Announce) && !words.has_any(&[Show, Showing, Only])
}

/// Whether a condition is one of the reader's: `if you like`, but not `if it fails, I tell you`.
fn is_condition_of_yours(words: &Words<'_>) -> bool {
    let (Some(condition), Some(you)) = (words.find(If), words.find(You)) else { return false };
    let is_between = |at: usize| condition < at && at < you;
    !words.find(Announce).is_some_and(is_between)
}

/// Whether a sentence says of what stands before it where it is from, or what it was.
fn points_back(words: &Words<'_>) -> bool {
    words.has(Back) && words.has_any(&[Past, Source, Other, Saying])
}

/// Whether a sentence tells what the call does.
pub(super) fn does(words: &Words<'_>) -> bool {
    let Some(effect) = words.find(Effect) else { return false };
    let is_before = |class| words.find(class).is_some_and(|at| at < effect);
    let is_own = is_before(Back) || is_before(Call);
    !is_before(You) && !words.has_any(&[May, Real]) && (is_own || !words.has(Other))
}

/// Whether a clause says that something did not, or must not, run. Who waits may say what cannot be
/// said before.
fn denies(clause: &str, is_waiting: bool) -> bool {
    let words = Words::of(clause);
    let is_own = words.has(Writer) && !is_waiting;
    words.has_any(&[Not, Forbid]) && (words.has(Run) || is_own)
        || words.has(Deny) && words.has_any(&[Writer, Back])
}

/// Whether a sentence asks for leave.
fn asks(words: &Words<'_>, is_question: bool) -> bool {
    words.has(Ask) && (is_question || words.has_any(&[If, You, Writer, Yes, Announce]))
}

#[cfg(test)]
mod tests {
    use super::{After, Before, Shape, after};

    #[test]
    fn only_what_speaks_of_the_call_counts_after_it() {
        assert_eq!(
            after("This is only an example.", false, Shape::Bare, Before::Silent),
            After::Example
        );
        assert_eq!(after("Do not run this.", false, Shape::Bare, Before::Silent), After::Refusal);
        assert_eq!(
            after("It was never executed.", false, Shape::Bare, Before::Silent),
            After::Refusal
        );
        assert_eq!(
            after("This code calculates the area.", false, Shape::Bare, Before::Silent),
            After::Silent
        );
        assert_eq!(
            after("An example call looks like this:", true, Shape::Bare, Before::Silent),
            After::Silent
        );
        assert_eq!(
            after("Now I look for that.", false, Shape::Bare, Before::Silent),
            After::Silent
        );
        let more = "If you need anything else, just ask.";
        assert_eq!(after(more, false, Shape::Marked, Before::Silent), After::Silent);
        let parts = "The second argument is optional.";
        assert_eq!(after(parts, false, Shape::Marked, Before::Silent), After::Example);
        assert_eq!(after(parts, false, Shape::Marked, Before::Announced), After::Silent);
        assert_eq!(
            after("This is only an example.", false, Shape::Marked, Before::Announced),
            After::Example
        );
    }
}
