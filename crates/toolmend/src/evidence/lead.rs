//! What the words before a region say about it: that the model now calls, or that it shows, warns,
//! quotes or wonders.
//!
//! Nobody can list all ways to introduce something that is not meant. So words that lead into a
//! region, with a colon or in the middle of a line, must say that the writer acts; everything else
//! that leads into it speaks of something else. A sentence that is over says nothing about what
//! follows, unless it forbids, shows, or points there. What counts is the last clause: who acts
//! in it, whether it denies, whether it could be, whether its words are about words.

use super::after::is_verdict;
use super::japanese::japanese;
use super::looking::{has_reader_look, looks, mends, serves};
use super::presented::{is_identified, is_presented, names_answer};
use super::sentences::{clauses, last_paragraph, last_sentence, sentences, tail};
use super::told::{is_record, tells};
use super::waiting::{asks_leave, demands, follows_reader, holds_all, waits};
use super::words::Class::{
    Act, Ahead, Announce, Ask, Back, Be, Call, Can, Danger, Deny, Finite, Forbid, Form, If,
    Inspect, May, Near, Not, Now, Other, Part, Past, Plain, Run, Saying, Show, Showing, Source,
    Thing, World, Writer, Yes, You,
};
use super::words::{Words, is_chinese};

/// What the words before a region say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// The model announces its call.
    Announced,
    /// Nothing either way.
    Silent,
    /// An example, a format, a document.
    Example,
    /// It should not run.
    Refusal,
    /// It could run, or others could run it.
    Possibility,
    /// Someone else's words.
    Quotation,
    /// Words that lead in and say neither that it is meant nor that it is not.
    Unclear,
}

/// So much text before a region is looked at.
const LEAD_BYTES: usize = 640;
/// A paragraph shorter than this only labels what follows.
const LABEL_CHARS: usize = 160;
/// A sentence of so few words, or Chinese characters, is a title.
const TITLE_WORDS: usize = 3;
const TITLE_CHARS: usize = 6;

const ENDS: [char; 11] = ['.', '。', '!', '！', '?', '？', '…', '~', '～', '|', '>'];
const COLONS: [char; 2] = [':', '：'];

/// Words in "-ing" that tell no doing.
const NOUNS: [&str; 24] = [
    "according",
    "following",
    "warning",
    "nothing",
    "something",
    "anything",
    "everything",
    "including",
    "regarding",
    "concerning",
    "during",
    "string",
    "thing",
    "things",
    "meaning",
    "missing",
    "pending",
    "existing",
    "remaining",
    "interesting",
    "training",
    "setting",
    "heading",
    "listing",
];

/// Which of the regions of a text stands behind words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    First,
    Later,
}

/// Reads the words before a region. `is_on_line` says that they stand on its own line, `order` whether
/// another region stands before them.
pub(crate) fn lead(text: &str, is_on_line: bool, order: Order) -> Lead {
    let text = tail(text.trim_end(), LEAD_BYTES).to_lowercase().replace('’', "'");
    let (before, paragraph) = last_paragraph(&text);
    let last = last_sentence(paragraph);
    if !last.chars().any(char::is_alphanumeric) {
        return Lead::Silent;
    }
    let end = last.trim_end_matches(['*', '`', '_', ' ', ')', '）', '"']);
    let has_colon = end.ends_with(COLONS);
    // A sentence that is not over runs into the region on its line, or where it speaks of it.
    let is_open = !end.ends_with(ENDS) && (is_on_line || is_long(end) || is_unfinished(end));
    if !has_colon && !is_open {
        return finished(last);
    }
    let previous = sentence_before(paragraph, last).unwrap_or(before);
    if follows_reader(previous, last) {
        return Lead::Possibility;
    }
    if order == Order::First && mends(previous, last) {
        return Lead::Announced;
    }
    // What only names the answer says as much as no words at all.
    if order == Order::First && names_answer(&text, last) {
        return Lead::Silent;
    }
    match into(last) {
        Lead::Unclear if !has_colon && !is_on_line && !is_unfinished(end) => Lead::Silent,
        // Behind another region `Right:` says which of them it is, not yes.
        Lead::Silent
            if order == Order::Later && COMPARING.contains(&end.trim_end_matches(COLONS)) =>
        {
            Lead::Unclear
        }
        Lead::Unclear => labelled(before, paragraph),
        Lead::Quotation if is_item(paragraph, last) => labelled(before, paragraph),
        // A title that names the call goes with what was said before it, if that shows.
        Lead::Announced if is_title_of_call(last) && is_record(previous, last) => Lead::Quotation,
        Lead::Announced if is_title_of_call(last) => match labelled(before, paragraph) {
            Lead::Unclear | Lead::Silent => Lead::Announced,
            lead => lead,
        },
        lead => lead,
    }
}

/// The last sentence of a paragraph that stands before this one and says something.
fn sentence_before<'t>(paragraph: &'t str, sentence: &str) -> Option<&'t str> {
    let end = paragraph.rfind(sentence)?;
    let is_said = |sentence: &&str| sentence.chars().any(char::is_alphabetic);
    sentences(paragraph.get(..end)?).filter(is_said).last().map(str::trim_start)
}

/// Words that say yes, and also which of two things is the better one.
const COMPARING: [&str; 6] = ["right", "correct", "good", "better", "fine", "正确"];

/// Whether a paragraph is an item of a numbered list that names things of the world: in `2. Train a
/// model:` nobody speaks.
fn is_item(paragraph: &str, sentence: &str) -> bool {
    let words = Words::of(sentence);
    let is_numbered = paragraph.trim_start().starts_with(|c: char| c.is_ascii_digit());
    is_numbered && !words.has_any(&[Source, Saying, Past, Back, Ahead, You, Run, Part])
}

/// A label goes with what was said before it.
fn labelled(before: &str, paragraph: &str) -> Lead {
    let is_label = paragraph.trim().chars().count() < LABEL_CHARS;
    let leads = sentences(before).map(|sentence| match sentence.trim_end().ends_with(COLONS) {
        true => into(sentence),
        false => finished(sentence),
    });
    match leads.filter(|lead| *lead != Lead::Silent).last() {
        Some(Lead::Announced) if !is_label => Lead::Unclear,
        Some(lead) => lead,
        None => Lead::Unclear,
    }
}

/// Words that nothing can end with: what they go with is still to come.
const UNFINISHED: [&str; 24] = [
    "is", "are", "was", "were", "of", "with", "like", "than", "via", "by", "as", "from", "into",
    "mit", "statt", "wie", "als", "avec", "comme", "con", "como", "com", "come", "как",
];

/// Whether a sentence lacks what something is, or goes with: `The first is`, `Instead of`.
fn is_unfinished(sentence: &str) -> bool {
    let last = sentence.rsplit([' ', '\n']).next().unwrap_or_default();
    UNFINISHED.contains(&last) || sentence.ends_with('是')
}

/// Whether words are more than a title or a yes.
fn is_long(sentence: &str) -> bool {
    sentence.split_whitespace().count() > 2 || sentence.chars().any(is_chinese)
}

/// What a sentence says that leads into what follows.
fn into(sentence: &str) -> Lead {
    let words = Words::of(sentence);
    if words.are_all(&[Yes, Writer]) {
        return Lead::Silent;
    }
    if is_heading(&words) || serves(sentence) {
        return Lead::Announced;
    }
    let asks = |clause: &str| Words::of(clause).has_adjacent(You, Ask);
    let all = clauses(sentence);
    if words.has(If) || waits(&all) || all.into_iter().any(asks) {
        return Lead::Possibility;
    }
    let mut is_last = true;
    let mut found = Vec::new();
    for clause in clauses(sentence).into_iter().rev() {
        let words = Words::of(clause);
        match meaning(clause, &words) {
            Lead::Unclear => {}
            Lead::Announced if is_last => return Lead::Announced,
            lead => found.push(lead),
        }
        is_last = is_last && words.are_all(&[Plain, Call, Yes]);
    }
    if found.contains(&Lead::Refusal) {
        return Lead::Refusal;
    }
    let is_said = |lead: &Lead| *lead != Lead::Announced;
    let said = found.iter().copied().find(is_said);
    said.or(found.first().copied()).unwrap_or(Lead::Unclear)
}

/// Whether words only name the call that follows them, and say of nobody that he makes it.
fn is_title_of_call(sentence: &str) -> bool {
    let words = Words::of(sentence);
    is_heading(&words) && !words.has_any(&[Announce, Writer, Now])
}

/// Whether words only name the call that follows them.
fn is_heading(words: &Words<'_>) -> bool {
    words.has(Call) && words.are_all(&[Plain, Call, Yes, Writer, Announce, Now])
}

/// What a clause says that leads into what follows.
fn meaning(clause: &str, words: &Words<'_>) -> Lead {
    let of_call = [Run, Act, Call, Back, Ahead, Writer, You, Other, Source];
    if words.has_any(&[Danger, Not, Forbid]) || words.has(Deny) && words.has_any(&of_call) {
        return Lead::Refusal;
    }
    if is_identified(clause) {
        return Lead::Announced;
    }
    let object = object(words);
    // What only texts have must be said to be that of something in the world.
    let is_shown = match object {
        Some(Object::World) => false,
        Some(Object::Named) => words.has_any(&[Show, Form]),
        None => words.has_any(&[Show, Showing, Form]),
    };
    if is_shown {
        return Lead::Example;
    }
    let announced = words.find(Announce).map(|at| words.since(at));
    let rest = announced.as_ref().unwrap_or(words);
    if rest.has_any(&[May, Can, Ask]) {
        return Lead::Possibility;
    }
    if object.is_some() {
        return Lead::Announced;
    }
    let acts = words.has_pair(Writer, Act);
    let is_own = acts || announced.is_some();
    if rest.has(Saying) && (!is_own || rest.has_any(&[Other, Source, Past, Back])) {
        return Lead::Quotation;
    }
    let is_act = || rest.has_any(&[Act, Call]) || is_doing_own(rest);
    if acts || announced.is_some() && (is_act() || rest.are_all(&[Announce, Yes, Writer])) {
        return Lead::Announced;
    }
    // What to do is a label: `Find a book about old models`.
    let is_label = words.starts_with(Act, &[]) && !words.starts_with(Saying, &[]);
    if words.has_any(&[Other, Source, Past, Part, Thing]) {
        return if is_label { Lead::Unclear } else { Lead::Quotation };
    }
    if is_presented(clause, words) {
        return Lead::Announced;
    }
    if words.has(You) {
        return Lead::Quotation;
    }
    let is_now =
        words.has(Now) && (words.has_any(&[Act, Call]) || words.are_all(&[Now, Yes, Ahead]));
    if is_now || is_doing(clause, words) || is_order(words) || is_titled(clause, words) {
        return Lead::Announced;
    }
    Lead::Unclear
}

/// What the writer is about to do something with, where that does not stand here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    /// It is named: `Let me compare the two`, but not `Let's examine one`.
    Named,
    /// It is something that a tool can look at: `Let me examine the code`.
    World,
}

fn object(words: &Words<'_>) -> Option<Object> {
    let object =
        words.behind_pair(Announce, Inspect).or_else(|| words.behind_pair(Now, Inspect))?;
    let thing = Words::of(object);
    if words.has_any(&[You, Call, Ahead]) || thing.has(Saying) {
        return None;
    }
    if thing.has(World) {
        return Some(Object::World);
    }
    let is_definite = |part| matches!(part, "the" | "both" | "all" | "each" | "our" | "my");
    let is_named = object.split_whitespace().any(is_definite)
        || object.chars().filter(|&c| is_chinese(c)).count() > 1;
    (is_named && !words.has_any(&[Near, Back, Other])).then_some(Object::Named)
}

/// Whether the writer is doing something: `I'm pulling it`.
fn is_doing_own(words: &Words<'_>) -> bool {
    words.behind(Announce).is_some_and(|rest| is_gerund(first_word(rest)))
}

/// Whether a clause tells what is being done: `Fetching it`, but not `Fetching it is`. In Chinese a
/// verb needs no one who does it.
pub(super) fn is_doing(clause: &str, words: &Words<'_>) -> bool {
    let is_verb = match clause.chars().any(is_chinese) {
        true => words.starts_with(Act, &[Yes, Now, Ahead, Plain]),
        false => is_gerund(first_word(clause)),
    };
    is_verb && !words.has(Finite)
}

/// Whether a clause orders a call: `First, call the tool`.
fn is_order(words: &Words<'_>) -> bool {
    words.starts_with(Act, &[])
        && !words.starts_with(Saying, &[])
        && words.has(Call)
        && !words.has(Finite)
}

/// Whether a clause only says what is next, or what for: `Now the forecast`, `To get it`.
fn is_titled(clause: &str, words: &Words<'_>) -> bool {
    let first = first_word(clause);
    let is_purpose = first == "to" || clause.trim_start().starts_with("for the ");
    is_purpose
        || matches!(first, "now" | "first" | "next" | "then" | "finally") && !words.has(Finite)
}

fn first_word(text: &str) -> &str {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.next().unwrap_or_default()
}

fn is_gerund(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ing") && !NOUNS.contains(&word)
}

/// What a sentence that is over says about what follows it.
fn finished(sentence: &str) -> Lead {
    let words = Words::of(sentence);
    let all = clauses(sentence);
    let last = all.last().copied().unwrap_or_default();
    let is_question = sentence.trim_end().ends_with(['?', '？']);
    let is_asked = is_question && asks_judgement(sentence);
    if is_verdict(sentence) || words.has(May) && words.are_all(&[May, Yes, Plain]) {
        return Lead::Possibility;
    }
    let is_leave = is_question && !words.has_any(&[Show, Ahead]) && asks_leave(sentence);
    if is_asked || is_leave || waits(&all) || demands(sentence) || has_reader_look(sentence) {
        return Lead::Possibility;
    }
    if holds_all(sentence) {
        return Lead::Refusal;
    }
    if !is_question && tells(sentence) {
        return Lead::Quotation;
    }
    if let Some(lead) = japanese(sentence) {
        return lead;
    }
    if looks(sentence) {
        return Lead::Announced;
    }
    if meaning(last, &Words::of(last)) == Lead::Announced {
        return Lead::Announced;
    }
    let is_title = is_title(sentence) && !words.has_any(&[Not, Past]);
    let points = words.has_any(&[Ahead, Near]);
    let warns = words.has(Danger) && (points || is_title || words.has(Run));
    if all.into_iter().any(forbids) || warns || words.has(Deny) && words.has(Ahead) {
        Lead::Refusal
    } else if is_shown(&words) || words.has(Show) && is_title {
        Lead::Example
    } else if words.has(Ahead) && words.has(Saying) && words.has_any(&[Other, Source]) {
        Lead::Quotation
    } else if is_question && (words.has_any(&[Show, Ahead]) || words.has(Near) && words.has(You)) {
        Lead::Example
    } else if words.has(Ask) && (is_question || asks_reader(sentence)) {
        Lead::Possibility
    } else {
        Lead::Silent
    }
}

/// Whether a sentence says that the writer shows, or that this is shown. What was, or is not, tells
/// of something else.
fn is_shown(words: &Words<'_>) -> bool {
    let is_this = words.starts_with(Back, &[Yes]) && words.has(Be);
    words.has_any(&[Show, Showing]) && words.has(Ahead)
        || words.has_any(&[Show, Showing]) && words.has(Announce) && object(words).is_none()
        || words.has(Show) && is_this && !words.has_any(&[Not, Past])
}

/// Words by which a reader is asked what he thinks of something: `Is this correct?`
const JUDGING: [&str; 16] = [
    "right",
    "correct",
    "good",
    "better",
    "fine",
    "ok",
    "okay",
    "richtig",
    "korrekt",
    "bien",
    "correcto",
    "correto",
    "certo",
    "corretto",
    "правильно",
    "верно",
];

/// Whether a question asks whether this, or what it says nothing else of, is right. `Is it good in
/// Paris?` asks about the world.
fn asks_judgement(sentence: &str) -> bool {
    let is_apart = |c: char| !c.is_alphanumeric() && c != '\'';
    let words: Vec<&str> = sentence.split(is_apart).filter(|word| !word.is_empty()).collect();
    let Some(at) = words.iter().position(|word| JUDGING.contains(word)) else { return false };
    let (before, behind) = words.split_at(at);
    let (mut before, behind) = (before.to_vec(), behind.get(1..).unwrap_or_default());
    if before.last().is_some_and(|word| matches!(*word, "look" | "looks" | "sound" | "sounds")) {
        before.pop();
    }
    let (before, behind) = (before.join(" "), behind.join(" "));
    // Who asks before he goes on asks the reader, whatever is right or not.
    if before.starts_with("before i ") && Words::of(&before).has_any(&[Near, Back]) {
        return true;
    }
    let of_call = [Near, Back, Be, Call, Plain, Finite, Yes];
    let is_over = behind.is_empty() || Words::of(&behind).are_all(&[Call, Plain, You, Writer]);
    let points = Words::of(&before);
    let is_of_call = points.has_any(&[Near, Back, Call]) && points.are_all(&of_call);
    is_over && (is_of_call || is_title(sentence))
}

/// Words by which a reader is asked for something.
pub(super) const POLITE: [&str; 7] =
    ["please", "bitte", "merci de", "por favor", "per favore", "пожалуйста", "请"];

/// Whether a sentence asks the reader for something: `Please confirm first`.
fn asks_reader(sentence: &str) -> bool {
    POLITE.iter().any(|polite| sentence.trim_start().starts_with(polite))
}

fn is_title(sentence: &str) -> bool {
    let characters = sentence.chars().filter(|&c| is_chinese(c)).count();
    sentence.split_whitespace().count() <= TITLE_WORDS && characters <= TITLE_CHARS
}

/// Whether a clause says that this, or anything, must not run. What did not run, and what cannot,
/// does not count.
fn forbids(clause: &str) -> bool {
    let words = Words::of(clause);
    let is_order = [Forbid, Deny].into_iter().any(|no| words.starts_with(no, &[Yes, You]));
    let is_told = is_order || words.has_any(&[Near, Ahead]);
    words.has_any(&[Forbid, Deny]) && words.has(Run) && is_told
}

#[cfg(test)]
mod tests {
    use super::{Lead, Order, lead};

    #[test]
    fn what_leads_into_a_call_must_announce_it() {
        for (text, want) in [
            ("", Lead::Silent),
            ("Let me look.", Lead::Announced),
            ("I could not find it before. I'll search again:", Lead::Announced),
            ("The log shows an error, so I'll read it:", Lead::Announced),
            ("For example:", Lead::Example),
            ("Do not run this:", Lead::Refusal),
            ("Never call anything like that.", Lead::Refusal),
            ("I could call the tool like this:", Lead::Example),
            ("You could call:", Lead::Possibility),
            ("The page says:", Lead::Quotation),
            ("A strange thing:", Lead::Unclear),
            ("You can use these tools as follows:\n\nFor weather:", Lead::Example),
            ("Let's compute the areas.\n\n1. The triangle:", Lead::Announced),
            ("我来查一下天气。", Lead::Announced),
            ("例如：", Lead::Example),
            ("请不要执行下面的内容：", Lead::Refusal),
            ("The answer is 4.", Lead::Silent),
            ("Sure, here is the answer:", Lead::Silent),
            ("Question: how far is it?\n\nAnswer:", Lead::Unclear),
            ("1. find_route:", Lead::Unclear),
            ("E.g.:", Lead::Example),
            ("These are the pieces of a call:", Lead::Unclear),
            ("The function to find the route is:", Lead::Announced),
            ("The correct function call is as follows:", Lead::Announced),
            ("The following calls will find it:", Lead::Announced),
            ("The function in the log is:", Lead::Quotation),
            ("Two examples.\n\nFirst call:", Lead::Example),
            ("I do not know the weather there.", Lead::Silent),
            ("The page example.com did not load.", Lead::Silent),
        ] {
            assert_eq!(lead(text, false, Order::First), want, "{text}");
        }
        assert_eq!(lead("The syntax is", true, Order::First), Lead::Example);
        assert_eq!(lead("Sure", false, Order::First), Lead::Silent);
        assert_eq!(lead("Answer:", false, Order::First), Lead::Silent);
        assert_eq!(lead("Answer:", false, Order::Later), Lead::Unclear);
        assert_eq!(lead("Right:", false, Order::Later), Lead::Unclear);
        assert_eq!(lead("Instead of", false, Order::First), Lead::Unclear);
        assert_eq!(lead("Models do it with", false, Order::First), Lead::Quotation);
    }
}
