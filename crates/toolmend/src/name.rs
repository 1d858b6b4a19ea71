//! Finds the tool that a name means. Always only if exactly one tool fits.

use std::collections::BTreeMap;

/// Names of tools, and what else they are called.
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<String>,
    synonyms: BTreeMap<String, String>,
}

/// How a name was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Match {
    /// It is the tool's name.
    Exact,
    /// It is, but for case, separators, a namespace or leaked markup.
    Folded,
    /// The settings say so.
    Synonym,
    /// It is a few letters away.
    Close,
}

/// So many close names are told.
const CLOSEST_MAX: usize = 3;

impl Names {
    /// Takes the names of the offered tools.
    pub fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), synonyms: BTreeMap::new() }
    }

    /// Adds other names for tools.
    #[must_use]
    pub fn with_synonyms(mut self, synonyms: impl IntoIterator<Item = (String, String)>) -> Self {
        self.synonyms.extend(synonyms.into_iter().map(|(from, to)| (fold(&from), to)));
        self
    }

    /// The index of the one tool that a name means, and how it was understood.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<(usize, Match)> {
        if let Some(at) = self.names.iter().position(|known| known == name) {
            return Some((at, Match::Exact));
        }
        let name = clean(name);
        for spelling in spellings(name) {
            if let Some(at) = self.only(|known| fold(known) == fold(spelling)) {
                return Some((at, Match::Folded));
            }
        }
        if let Some(at) = self.only(|known| is_same_in_namespace(name, known)) {
            return Some((at, Match::Folded));
        }
        if let Some(target) = self.synonyms.get(&fold(name)) {
            let at = self.names.iter().position(|known| known == target)?;
            return Some((at, Match::Synonym));
        }
        let at = self.only(|known| spellings(name).any(|spelling| is_close(spelling, known)))?;
        Some((at, Match::Close))
    }

    /// The names that are nearest, for a message.
    #[must_use]
    pub fn closest(&self, name: &str) -> Vec<&str> {
        let folded = fold(clean(name));
        let mut near: Vec<(usize, &str)> = self
            .names
            .iter()
            .map(|known| (strsim::osa_distance(&folded, &fold(known)), known.as_str()))
            .collect();
        near.sort_unstable();
        near.into_iter().take(CLOSEST_MAX).map(|(_, known)| known).collect()
    }

    /// The one tool that fits; none where two do.
    fn only(&self, fits: impl Fn(&str) -> bool) -> Option<usize> {
        let mut fitting = self.names.iter().enumerate().filter(|(_, known)| fits(known));
        let (at, _) = fitting.next()?;
        fitting.next().is_none().then_some(at)
    }
}

/// The name without what leaked into it: control tokens, markup, quotes.
fn clean(name: &str) -> &str {
    let name = name.split("<|").next().unwrap_or(name);
    let name = match name.trim_start().strip_prefix('<') {
        // `<tool_call>f`
        Some(rest) => rest.split_once('>').map_or(name, |(_, name)| name),
        None => name,
    };
    let name = name.split('<').next().unwrap_or(name);
    name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '*'))
}

/// Ways to read a name: whole, without a namespace, without a suffix that was glued on, without
/// both.
fn spellings(name: &str) -> impl Iterator<Item = &str> {
    let bare = unprefixed(name);
    let last = bare.rsplit(['.', ':', '/']).next().filter(|last| !last.is_empty());
    let ways = [Some(name), Some(bare), unsuffixed(name), unsuffixed(bare), unindexed(bare), last];
    ways.into_iter().flatten()
}

fn unprefixed(name: &str) -> &str {
    let prefixes =
        ["functions.", "functions_", "functions:", "default_api.", "tools.", "tool.", "api."];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

fn unsuffixed(name: &str) -> Option<&str> {
    let suffixes = ["json", "JSON", "commentary", ".call"];
    let name = suffixes.iter().find_map(|suffix| name.strip_suffix(suffix))?;
    Some(name.trim_end_matches([' ', '\u{a0}']))
}

/// The name in `f:0` and `f_0`.
fn unindexed(name: &str) -> Option<&str> {
    let (name, index) = name.rsplit_once([':', '_'])?;
    let is_index = !index.is_empty() && index.bytes().all(|digit| digit.is_ascii_digit());
    is_index.then_some(name)
}

/// A name without case and separators.
fn fold(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Whether two names differ only in their namespace: one has none, or both are spelt alike.
fn is_same_in_namespace(name: &str, known: &str) -> bool {
    let split =
        |name: &str| match name.rsplit_once(['.', ':', '/']).or_else(|| name.rsplit_once("__")) {
            Some((space, last)) => (fold(space), fold(last)),
            None => (String::new(), fold(name)),
        };
    let ((space, last), (known_space, known_last)) = (split(name), split(known));
    let is_alike = space.is_empty()
        || known_space.is_empty()
        || space.starts_with(&known_space)
        || known_space.starts_with(&space)
        || space.ends_with(&known_space)
        || known_space.ends_with(&space);
    !last.is_empty() && last == known_last && is_alike
}

/// Whether a name is a few letters away: a quarter of the longer one at most, and with the same
/// first word if it has several.
fn is_close(name: &str, known: &str) -> bool {
    let (folded, known_folded) = (fold(name), fold(known));
    let longer = folded.chars().count().max(known_folded.chars().count());
    let distance = strsim::osa_distance(&folded, &known_folded);
    distance * 4 <= longer && !folded.is_empty() && same_first_word(name, known)
}

fn same_first_word(name: &str, known: &str) -> bool {
    let (words, known_words) = (words(name), words(known));
    words.len() < 2 && known_words.len() < 2 || words.first() == known_words.first()
}

/// The words of a name: `getWeather` has two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let is_break = !c.is_alphanumeric() || c.is_uppercase() && was_lower;
        if is_break && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::{Match, Names};

    #[test]
    fn a_name_is_understood_only_if_one_tool_fits() {
        let names =
            Names::new(["get_weather", "search_files", "math.factorial", "Tool_get_prop", "ls"]);
        for (name, want) in [
            ("get_weather", Some(("get_weather", Match::Exact))),
            ("Get-Weather", Some(("get_weather", Match::Folded))),
            ("functions.get_weather", Some(("get_weather", Match::Folded))),
            ("functions.get_weather:0", Some(("get_weather", Match::Folded))),
            ("functions_get_weather_1", Some(("get_weather", Match::Folded))),
            ("get_weather<|channel|>commentary", Some(("get_weather", Match::Folded))),
            ("<tool_call>get_weather</arg_value>", Some(("get_weather", Match::Folded))),
            ("ls\u{a0}json", Some(("ls", Match::Folded))),
            ("math_factorial", Some(("math.factorial", Match::Folded))),
            ("serach_files", None),
            ("search_flies", Some(("search_files", Match::Close))),
            ("search__files", Some(("search_files", Match::Folded))),
            ("find_files", None),
            ("weather", None),
            ("", None),
        ] {
            let got = names.resolve(name).map(|(at, how)| (names.names[at].as_str(), how));
            assert_eq!(got, want, "{name}");
        }
        let names = Names::new(["read_file", "readFile"]);
        assert_eq!(names.resolve("ReadFile"), None);
        let names = Names::new(["mcp__git__log", "mcp__files__read", "mcp__web__read"]);
        for (name, want) in [
            ("log", Some((0, Match::Folded))),
            ("git.log", Some((0, Match::Folded))),
            ("git__log", Some((0, Match::Folded))),
            ("mcp__svn__log", None),
            ("read", None),
            ("files__read", Some((1, Match::Folded))),
            ("blog", None),
        ] {
            assert_eq!(names.resolve(name), want, "{name}");
        }
        let names = Names::new(["reed_file", "read_file"]);
        assert_eq!(names.closest("reed_file").len(), 2);
    }
}
