//! What the words before and after a region say about it: that the model now calls, or that it
//! shows, warns, quotes or wonders.
//!
//! Nobody can list all ways to introduce something that is not meant. So words that lead into a
//! region, with a colon or in the middle of a line, must announce a call; everything else that
//! leads into it speaks of something else. A sentence that is over says nothing about what follows,
//! unless it forbids, shows, or points there.

use super::phrases::{has_any, phrases};

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

/// So many characters after a region are looked at.
const AFTER_CHARS: usize = 240;
/// So much text before a region is looked at.
const LEAD_BYTES: usize = 640;
/// A paragraph shorter than this only labels what follows.
const LABEL_CHARS: usize = 80;
/// A remark shorter than this needs no subject.
const REMARK_CHARS: usize = 60;

const ENDS: [char; 11] = ['.', '。', '!', '！', '?', '？', '…', '~', '～', '|', '>'];
const COLONS: [char; 2] = [':', '：'];

/// Reads the words before a region. `is_on_line` says that they stand on its own line.
pub(crate) fn lead(text: &str, is_on_line: bool) -> Lead {
    let text = tail(text.trim_end(), LEAD_BYTES).to_lowercase();
    let (before, paragraph) = last_paragraph(&text);
    let last = last_sentence(paragraph);
    if !last.chars().any(char::is_alphanumeric) {
        return Lead::Silent;
    }
    let end = last.trim_end_matches(['*', '`', '_', ' ', ')', '）', '"']);
    // A sentence that is not over runs into the region; a word or two do not make one.
    let is_open = !end.ends_with(ENDS) && (is_on_line || is_long(end));
    let leads_in = end.ends_with(COLONS) || is_open;
    if let Some(lead) = settled(last) {
        return lead;
    }
    if !leads_in {
        return finished(last);
    }
    if announces(last) && judge(last).is_none_or(is_weak) {
        return Lead::Announced;
    }
    // A label goes with what was said before it.
    let is_label = paragraph.trim().chars().count() < LABEL_CHARS;
    let is_announced = || sentences(before).any(announces) && judge(before).is_none_or(is_weak);
    match judge(last) {
        Some(lead) => lead,
        None if is_label && is_announced() => Lead::Announced,
        None => judge(before).unwrap_or(Lead::Unclear),
    }
}

/// Whether words are more than a title or a yes.
fn is_long(sentence: &str) -> bool {
    sentence.split_whitespace().count() > 2 || sentence.chars().any(|c| c as u32 > 0x2fff)
}

/// What a sentence says whether or not it leads in: the last clause announces, or one forbids.
fn settled(sentence: &str) -> Option<Lead> {
    let clause = clauses(sentence).last().unwrap_or_default();
    let is_clean = !forbids(clause) && !has_any(clause, "examples") && !has_any(clause, "showing");
    if has_any(sentence, "presenting") && !clauses(sentence).any(forbids)
        || announces(clause) && is_clean && judge(clause).is_none_or(is_weak)
    {
        return Some(Lead::Announced);
    }
    clauses(sentence).any(forbids).then_some(Lead::Refusal)
}

/// What a sentence that is over says about what follows it.
fn finished(sentence: &str) -> Lead {
    if has_any(sentence, "danger") {
        Lead::Refusal
    } else if has_any(sentence, "showing") {
        Lead::Example
    } else if has_any(sentence, "pointing") && !announces(sentence) {
        judge(sentence).unwrap_or(Lead::Silent)
    } else {
        Lead::Silent
    }
}

/// Whether an announcement in the same sentence says more than this.
fn is_weak(lead: Lead) -> bool {
    matches!(lead, Lead::Possibility | Lead::Quotation)
}

/// Whether a sentence says that a call comes now.
fn announces(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_purpose = sentence.starts_with("to ") && !has_any(sentence, "others");
    has_any(sentence, "announcing") || is_purpose || clauses(sentence).any(is_doing)
}

/// Whether a clause starts by saying what is being done: `fetching it`, `I'm looking`, `我来查`.
fn is_doing(clause: &str) -> bool {
    let clause = clause.trim_start();
    let rest =
        ["i'm ", "i’m ", "i am ", "now ", "so "].iter().find_map(|own| clause.strip_prefix(own));
    let first = rest.unwrap_or(clause).split_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches(|c: char| !c.is_alphanumeric());
    first.len() > 4 && first.ends_with("ing") && !phrases("nouns").any(|noun| noun == first)
        || phrases("doing").any(|word| clause.starts_with(word))
}

/// Whether a clause says that something must not run.
fn forbids(clause: &str) -> bool {
    has_any(clause, "directive") && has_any(clause, "running")
}

/// Whether a clause says that something did not, or must not, run.
fn denies(clause: &str) -> bool {
    has_any(clause, "negation") && has_any(clause, "running")
}

fn judge(text: &str) -> Option<Lead> {
    let kinds = [
        ("refusals", Lead::Refusal),
        ("examples", Lead::Example),
        ("possibilities", Lead::Possibility),
        ("quotations", Lead::Quotation),
    ];
    kinds.iter().find(|(list, _)| has_any(text, list)).map(|(_, lead)| *lead)
}

/// Reads the words after a region: only what speaks of the region itself. `has_next` says that
/// another region follows them. Behind marks, words that speak of the call at all take it back,
/// unless they tell what it does; a shape without marks is often explained.
pub(crate) fn after(text: &str, has_next: bool, shape: Shape) -> After {
    let text = text.trim_start().to_lowercase();
    let text = text.split("\n\n").next().unwrap_or_default().trim();
    let is_intro = has_next && text.ends_with(COLONS);
    let end = text.char_indices().nth(AFTER_CHARS).map_or(text.len(), |(at, _)| at);
    let Some(sentence) = sentences(text.get(..end).unwrap_or_default()).next() else {
        return After::Silent;
    };
    if is_intro || announces(sentence) {
        return After::Silent;
    }
    let is_remark = sentence.chars().count() < REMARK_CHARS;
    let points = points_back(sentence) && !has_any(sentence, "effect");
    let is_own = has_any(sentence, "own");
    let is_marked = shape == Shape::Marked;
    let takes_back = points || is_marked && !is_own;
    if clauses(sentence).any(denies) || takes_back && has_any(sentence, "negation") {
        After::Refusal
    } else if (is_remark || points) && has_any(sentence, "example-after")
        || points && (is_marked || has_any(sentence, "being"))
        || !is_own && phrases("advising").any(|word| starts_with(sentence, word))
    {
        After::Example
    } else {
        After::Silent
    }
}

fn starts_with(sentence: &str, word: &str) -> bool {
    let rest = sentence.trim_start_matches(['(', '（', '*', '-', ' ']).strip_prefix(word);
    rest.is_some_and(|rest| {
        !word.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
    })
}

/// Whether a sentence speaks of what stands before it.
fn points_back(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(['(', '（', '*', '-', ' ']);
    let first = sentence.split([' ', '\'', '’']).next().unwrap_or_default();
    phrases("backward").any(|word| match word.is_ascii() && !word.contains(' ') {
        true => first == word,
        false => sentence.starts_with(word),
    })
}

/// The text before the last paragraph, and the last paragraph.
fn last_paragraph(text: &str) -> (&str, &str) {
    let at = text.rfind("\n\n").map_or(0, |at| at + 2);
    let (before, last) = text.split_at_checked(at).unwrap_or(("", text));
    let before = before.trim_end();
    let at = before.rfind("\n\n").map_or(0, |at| at + 2);
    (before.get(at..).unwrap_or_default(), last)
}

fn last_sentence(text: &str) -> &str {
    sentences(text)
        .filter(|sentence| sentence.chars().any(char::is_alphanumeric))
        .last()
        .unwrap_or_default()
}

/// The sentences of a text, each with its end.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().find(|&(at, c)| {
            let after = rest.get(at + c.len_utf8()..).unwrap_or_default();
            match c {
                '.' | '!' | '?' => {
                    after.is_empty() || after.starts_with([' ', '\n', ')', '"', '*'])
                }
                '。' | '！' | '？' | '\n' => true,
                _ => false,
            }
        });
        let at = ends.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        rest = after;
        Some(sentence)
    })
}

/// The clauses of a sentence.
fn clauses(sentence: &str) -> impl DoubleEndedIterator<Item = &str> {
    let parts = sentence.split([',', ';', '，', '；', '—', '–', '、']);
    parts.filter(|clause| clause.chars().any(char::is_alphanumeric))
}

fn tail(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{After, Lead, Shape, after, lead};

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
            ("I do not know the weather there.", Lead::Silent),
            ("The page example.com did not load.", Lead::Silent),
        ] {
            assert_eq!(lead(text, false), want, "{text}");
        }
        assert_eq!(lead("The syntax is", true), Lead::Example);
        assert_eq!(lead("Sure", false), Lead::Silent);
    }

    #[test]
    fn only_what_speaks_of_the_call_counts_after_it() {
        assert_eq!(after("This is only an example.", false, Shape::Bare), After::Example);
        assert_eq!(after("Do not run this.", false, Shape::Bare), After::Refusal);
        assert_eq!(after("It was never executed.", false, Shape::Bare), After::Refusal);
        assert_eq!(after("This code calculates the area.", false, Shape::Bare), After::Silent);
        assert_eq!(after("An example call looks like this:", true, Shape::Bare), After::Silent);
        assert_eq!(after("Now I look for that.", false, Shape::Bare), After::Silent);
    }
}
