//! The word classes, read once from the file beside this one, and how a text is read by them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// So many characters the longest entry has where words are not set apart.
const ENTRY_CHARS_MAX: usize = 7;

macro_rules! classes {
    ($($class:ident $name:literal),* $(,)?) => {
        /// A class of words. What it stands for is told in the file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Class { $($class),* }

        const CLASSES: &[(&str, Class)] = &[$(($name, Class::$class)),*];
    };
}

classes! {
    Writer "self", You "you", Other "other", Source "source", Saying "saying", Show "show",
    Showing "showing", Not "not", Deny "deny", Danger "danger", Run "run", May "may", If "if",
    Past "past", Back "back", Ahead "ahead", Announce "announce", Act "act", Call "call",
    Plain "plain", Yes "yes", Wait "wait", Ask "ask", Advise "advise", Only "only", Part "part",
    Effect "effect", Form "form", Forbid "forbid", Finite "finite", Now "now", Inert "inert",
    Real "real", Can "can", Time "time", Be "be", Thing "thing", Near "near", Else "else",
    Also "also", Inspect "inspect", World "world", Answer "answer", Once "once",
    When "when", Given "given", Drop "drop", Occur "occur", Cite "cite",
}

/// The classes that a word belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u64);

impl Set {
    fn with(self, class: Class) -> Self {
        Self(self.0 | 1 << class as u32)
    }

    pub(super) fn has(self, class: Class) -> bool {
        self.0 >> (class as u32) & 1 == 1
    }

    fn has_any(self, classes: &[Class]) -> bool {
        classes.iter().any(|&class| self.has(class))
    }
}

/// What is known of a word, or of words in a row.
#[derive(Default)]
struct Entry {
    /// None where it only begins others.
    set: Set,
    /// So many words the longest has that begins with it.
    words: usize,
    /// Whether it means in Japanese what it means in Chinese, or is no Chinese word.
    is_japanese: bool,
}

impl Entry {
    fn set(&self) -> Option<Set> {
        Some(self.set).filter(|set| *set != Set::default())
    }
}

static ENTRIES: LazyLock<HashMap<String, Entry>> =
    LazyLock::new(|| read(include_str!("words.txt")));

fn read(text: &str) -> HashMap<String, Entry> {
    let mut entries: HashMap<String, Entry> = HashMap::new();
    let mut class = None;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            class = CLASSES.iter().find(|(known, _)| *known == name).map(|(_, class)| *class);
            continue;
        }
        let Some(class) = class else { continue };
        for entry in line.split('|').map(str::trim).filter(|entry| !entry.is_empty()) {
            let japanese = entry.strip_prefix("ja:");
            let entry = japanese.unwrap_or(entry);
            for form in forms(entry) {
                let first = form.split(' ').next().unwrap_or_default();
                let begun = entries.entry(first.to_owned()).or_default();
                begun.words = begun.words.max(form.split(' ').count());
                let entry = entries.entry(form).or_default();
                entry.set = entry.set.with(class);
                entry.is_japanese = entry.is_japanese || japanese.is_some();
            }
        }
    }
    entries
}

/// The forms of an entry: those of a regular verb where it ends in `+`.
fn forms(entry: &str) -> Vec<String> {
    let Some(verb) = entry.strip_suffix('+') else { return vec![entry.to_owned()] };
    let is_consonant = |stem: &&str| !stem.ends_with(['a', 'e', 'o', 'u']);
    let without_y = verb.strip_suffix('y').filter(is_consonant);
    let without_e = verb.strip_suffix('e');
    let hisses = verb.ends_with(['s', 'x', 'z']) || verb.ends_with("ch") || verb.ends_with("sh");
    let third = match without_y {
        Some(stem) => format!("{stem}ies"),
        None if hisses => format!("{verb}es"),
        None => format!("{verb}s"),
    };
    let past = match (without_y, without_e) {
        (Some(stem), _) => format!("{stem}ied"),
        (None, Some(stem)) => format!("{stem}ed"),
        (None, None) => format!("{verb}ed"),
    };
    vec![verb.to_owned(), third, past, format!("{}ing", without_e.unwrap_or(verb))]
}

/// An entry that stands in a text.
#[derive(Clone, Copy, Debug)]
struct Hit {
    start: usize,
    end: usize,
    set: Set,
}

/// Whether the name of an element says that what stands in it is shown, or of others: `example`,
/// `sample_call`, `documentation`.
pub(crate) fn shows(name: &str) -> bool {
    let name = name.to_lowercase().replace(['_', '-'], " ");
    let words = Words::of(&name);
    let is_own = OWN_ELEMENTS.contains(&name.as_str()) || words.has(Class::Answer);
    // A page folds away what it shows there.
    name == "details"
        || !is_own
            && words.has_any(&[Class::Show, Class::Source])
            && words.are_all(&[Class::Show, Class::Source, Class::Call, Class::Plain])
}

/// Elements that models write their own turns in.
const OWN_ELEMENTS: [&str; 10] = [
    "message", "messages", "text", "body", "chat", "string", "script", "console", "terminal",
    "output",
];

/// A text in lower case, read by word classes.
#[derive(Clone, Debug)]
pub(super) struct Words<'t> {
    text: &'t str,
    hits: Vec<Hit>,
    /// Whether each word belongs to a class.
    is_known: bool,
}

impl<'t> Words<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut hits = Vec::new();
        let mut is_known = true;
        let mut at = 0;
        let has_kana = text.contains(is_kana);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let (length, set) = longest(rest, has_kana);
            match set {
                Some(set) => hits.push(Hit { start: at, end: at + length, set }),
                // A number says nothing of what the words around it are about.
                None => is_known = is_known && !rest.starts_with(char::is_alphabetic),
            }
            at += length;
        }
        Self { text, hits, is_known }
    }

    pub(super) fn has(&self, class: Class) -> bool {
        self.hits.iter().any(|hit| hit.set.has(class))
    }

    pub(super) fn has_any(&self, classes: &[Class]) -> bool {
        self.hits.iter().any(|hit| hit.set.has_any(classes))
    }

    /// Whether anything is said.
    pub(super) fn has_words(&self) -> bool {
        self.text.contains(char::is_alphanumeric)
    }

    /// Whether each word is of one of these classes.
    pub(super) fn are_all(&self, classes: &[Class]) -> bool {
        let is_empty = self.hits.is_empty();
        self.is_known && !is_empty && self.hits.iter().all(|hit| hit.set.has_any(classes))
    }

    /// Where a word of this class stands first.
    pub(super) fn find(&self, class: Class) -> Option<usize> {
        self.hits.iter().find(|hit| hit.set.has(class)).map(|hit| hit.start)
    }

    /// The words from a place on.
    pub(super) fn since(&self, start: usize) -> Self {
        let hits = self.hits.iter().filter(|hit| hit.start >= start).copied().collect();
        Self { hits, ..*self }
    }

    /// What stands behind the first word of this class.
    pub(super) fn behind(&self, class: Class) -> Option<&'t str> {
        let hit = self.hits.iter().find(|hit| hit.set.has(class))?;
        self.text.get(hit.end..)
    }

    /// What stands behind a word of the second class that follows one of the first, with one word
    /// between them at most.
    pub(super) fn behind_pair(&self, first: Class, second: Class) -> Option<&'t str> {
        let one = self.hits.iter().find(|hit| hit.set.has(first))?;
        let is_second = |hit: &&Hit| hit.start >= one.end && hit.set.has(second);
        let two = self.hits.iter().find(is_second)?;
        let gap = self.text.get(one.end..two.start)?;
        (gap.split_whitespace().count() <= 1).then(|| self.text.get(two.end..))?
    }

    /// Whether a word of one class stands right before one of another.
    pub(super) fn has_adjacent(&self, first: Class, second: Class) -> bool {
        self.pairs(first, second).next().is_some()
    }

    /// The same, where the second word tells nothing that is over: `I check`, but not `I checked`.
    pub(super) fn has_pair(&self, first: Class, second: Class) -> bool {
        self.pairs(first, second).any(|hit| {
            let word = self.text.get(hit.start..hit.end).unwrap_or_default();
            let rest = self.text.get(hit.end..).unwrap_or_default();
            !word.ends_with("ed") && !rest.starts_with(['了', '过'])
        })
    }

    /// The words of the second class that stand right behind one of the first.
    fn pairs(&self, first: Class, second: Class) -> impl Iterator<Item = &Hit> {
        self.hits.iter().zip(self.hits.iter().skip(1)).filter_map(move |(one, two)| {
            let gap = self.text.get(one.end..two.start).unwrap_or_default();
            let is_pair = one.set.has(first) && two.set.has(second) && gap.trim().is_empty();
            is_pair.then_some(two)
        })
    }

    /// Whether the first word is of this class, words of the classes to pass over left out.
    pub(super) fn starts_with(&self, class: Class, over: &[Class]) -> bool {
        let mut at = 0;
        for hit in &self.hits {
            let gap = self.text.get(at..hit.start).unwrap_or_default();
            if gap.chars().any(char::is_alphanumeric) {
                return false;
            }
            if hit.set.has(class) || !hit.set.has_any(over) {
                return hit.set.has(class);
            }
            at = hit.end;
        }
        false
    }
}

/// The length of the entry, or else of the word, that a text starts with.
fn longest(text: &str, has_kana: bool) -> (usize, Option<Set>) {
    let first = text.chars().next().unwrap_or(' ');
    if !first.is_alphanumeric() {
        return (first.len_utf8(), None);
    }
    let mut found = None;
    let mut word = first.len_utf8();
    if is_unspaced(first) {
        for (at, c) in text.char_indices().take(ENTRY_CHARS_MAX) {
            let end = at + c.len_utf8();
            // Chinese words stand in Japanese ones by chance.
            let word = text.get(..end).unwrap_or_default();
            let entry = ENTRIES.get(word);
            let is_own = word.contains(is_kana) || entry.is_some_and(|entry| entry.is_japanese);
            let is_other = has_kana && !is_own;
            let set = set_of(word, entry);
            found = set.filter(|_| !is_other).map(|set| (end, set)).or(found);
        }
    } else {
        let (mut at, mut count, mut count_max) = (0, 0, 1);
        while count < count_max {
            let length = text.get(at..).map_or(0, word_length);
            if length == 0 {
                break;
            }
            at += length;
            let words = text.get(..at).unwrap_or_default();
            let entry = ENTRIES.get(words);
            found = set_of(words, entry).map(|set| (at, set)).or(found);
            if count == 0 {
                word = at;
                // Most words begin no entry of several.
                count_max = entry.map_or(1, |entry| entry.words);
            }
            count += 1;
            if !text.get(at..).is_some_and(|rest| rest.starts_with(' ')) {
                break;
            }
            at += 1;
        }
    }
    found.map_or((word, None), |(end, set)| (end, Some(set)))
}

/// The classes of an entry. `the model's` is of the class of the model.
fn set_of(words: &str, entry: Option<&Entry>) -> Option<Set> {
    let owner = || ENTRIES.get(words.strip_suffix("'s")?)?.set();
    entry.and_then(Entry::set).or_else(owner)
}

/// The length of the word that a text starts with. `example.com` is one word.
fn word_length(text: &str) -> usize {
    let is_letter = |c: char| c.is_alphanumeric() && !is_unspaced(c) || c == '_';
    // Most letters need no decoding, and most words have no others.
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut end = text.bytes().position(|byte| !is_plain(&byte)).unwrap_or(text.len());
    let rest = text.get(end..).unwrap_or_default();
    let mut chars = rest.char_indices().map(|(at, c)| (text.len() - rest.len() + at, c)).peekable();
    while let Some((at, c)) = chars.next() {
        let joins = end > 0
            && matches!(c, '\'' | '-' | '.' | '/')
            && chars.peek().is_some_and(|&(_, next)| is_letter(next));
        if !is_letter(c) && !joins {
            break;
        }
        end = at + c.len_utf8();
    }
    end
}

pub(super) fn is_chinese(c: char) -> bool {
    ('\u{3400}'..='\u{9fff}').contains(&c)
}

pub(super) fn is_kana(c: char) -> bool {
    ('\u{3040}'..='\u{30ff}').contains(&c)
}

pub(super) fn is_hangul(c: char) -> bool {
    ('\u{ac00}'..='\u{d7a3}').contains(&c)
}

/// Whether words are written together in this script, or with their endings.
fn is_unspaced(c: char) -> bool {
    is_chinese(c) || is_kana(c) || is_hangul(c)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{CLASSES, Class, ENTRIES, ENTRY_CHARS_MAX, Words, forms, is_unspaced};

    #[test]
    fn every_class_has_words_and_every_list_is_a_class() {
        for (name, class) in CLASSES {
            assert!(ENTRIES.values().any(|entry| entry.set.has(*class)), "{name}");
        }
        let names = include_str!("words.txt").lines().filter(|line| line.starts_with('['));
        for name in names {
            let is_known = CLASSES.iter().any(|(known, _)| name == format!("[{known}]"));
            assert!(is_known, "{name}");
        }
    }

    #[test]
    fn entries_can_be_found() {
        let entries = ENTRIES.iter().filter(|(_, entry)| entry.set().is_some());
        let entries: BTreeSet<&String> = entries.map(|(entry, _)| entry).collect();
        for entry in entries {
            assert_eq!(&entry.to_lowercase(), entry);
            let is_apart = !entry.starts_with(is_unspaced);
            assert!(is_apart || entry.chars().count() <= ENTRY_CHARS_MAX, "{entry}");
            let all = Words::of(entry);
            assert!(all.is_known && all.hits.len() == 1, "{entry}");
        }
    }

    #[test]
    fn verbs_have_their_forms() {
        assert_eq!(forms("check+"), ["check", "checks", "checked", "checking"]);
        assert_eq!(forms("query+"), ["query", "queries", "queried", "querying"]);
        assert_eq!(forms("describe+"), ["describe", "describes", "described", "describing"]);
        assert_eq!(forms("search+"), ["search", "searches", "searched", "searching"]);
        assert_eq!(forms("display+"), ["display", "displays", "displayed", "displaying"]);
    }

    #[test]
    fn words_count_as_a_whole_and_the_longest_first() {
        assert!(Words::of("an example:").has(Class::Show));
        assert!(!Words::of("example.com and counterexamples").has(Class::Show));
        assert!(Words::of("不会").has(Class::Not) && !Words::of("没问题").has(Class::Not));
        assert!(Words::of("the model's call").has(Class::Other));
    }
}
