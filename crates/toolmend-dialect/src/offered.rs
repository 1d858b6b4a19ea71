//! The tools of this request, as far as finding calls needs them: names decide where a shape
//! without marks could be anything, and keys tell where a tagged value ends.

use std::sync::Arc;

/// The offered tools. A copy costs nothing: all scanners of a request share one list.
#[derive(Clone, Debug, Default)]
pub struct Offered {
    /// By folded name.
    tools: Arc<[Tool]>,
    /// The letters that names and their namespaces start with, one bit each.
    starts: u128,
    /// How long folded names are, one bit each.
    lengths: u128,
}

#[derive(Clone, Debug)]
pub(crate) struct Tool {
    folded: String,
    name: String,
    keys: Vec<String>,
}

impl Offered {
    /// Takes each tool's name and the names of its parameters.
    pub fn new<N, K>(tools: impl IntoIterator<Item = (N, K)>) -> Self
    where
        N: Into<String>,
        K: IntoIterator<Item: Into<String>>,
    {
        let tools = tools.into_iter().map(|(name, keys)| {
            let name = name.into();
            let keys = keys.into_iter().map(Into::into).collect();
            Tool { folded: fold_name(&name), name, keys }
        });
        let mut tools: Vec<Tool> = tools.collect();
        // A tool is also known without its namespace.
        let short = tools.iter().filter_map(|tool| {
            let name = &tool.name;
            // A single word behind the prefix of a server is a word of any text.
            let server = || name.rsplit_once("__").filter(|(_, last)| last.contains(['_', '-']));
            let (_, last) = name.rsplit_once(['.', ':', '/']).or_else(server)?;
            Some(Tool { folded: fold_name(last), ..tool.clone() })
        });
        let short: Vec<Tool> = short.filter(|tool| !tool.folded.is_empty()).collect();
        tools.extend(short);
        tools.sort_by(|a, b| a.folded.cmp(&b.folded));
        let names = tools.iter().map(|tool| tool.folded.as_str()).chain(PREFIXES);
        let starts = names.filter_map(first_bit).fold(0, |starts, bit| starts | bit);
        let lengths = tools.iter().map(|tool| length_bit(tool.folded.len()));
        let lengths = lengths.fold(0, |lengths, bit| lengths | bit);
        Self { tools: tools.into(), starts, lengths }
    }

    /// Whether there is a tool of this name, but for case, separators and known prefixes.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a tool's name starts with the first letter of this text; told without a copy.
    pub(crate) fn may_start_with(&self, text: &str) -> bool {
        if let Some(bit) = first_bit(text) {
            return self.starts & bit != 0;
        }
        let first = text.chars().next();
        self.tools.iter().any(|tool| tool.folded.chars().next() == first)
    }

    /// Whether a name is that of a tool, or starts like one: a few letters may be wrong.
    pub(crate) fn may_mean(&self, name: &str) -> bool {
        if self.knows(name) {
            return true;
        }
        let folded = fold_name(name);
        let start: String = folded.chars().take(3).collect();
        let is_like = |tool: &Tool| start.len() >= 3 && tool.folded.starts_with(&start);
        self.tools.iter().any(is_like)
    }

    /// Whether a tool may have this word for its name; told without a copy.
    pub(crate) fn may_be_tag(&self, word: &str) -> bool {
        let is_word =
            |tool: &Tool| tool.folded.len() == word.len() && tool.folded.eq_ignore_ascii_case(word);
        let may_be = self.lengths & length_bit(word.len()) != 0 && self.may_start_with(word);
        may_be && self.tools.iter().any(is_word)
    }

    /// Whether this is a parameter of that tool.
    pub(crate) fn has_key(&self, tool: &str, key: &str) -> bool {
        self.find(tool).is_some_and(|tool| tool.has_key(key))
    }

    /// Whether these members only tell of a tool: one describes it, and none is a parameter, but for case
    /// and separators.
    pub(crate) fn is_described<'k>(
        &self,
        tool: &str,
        mut keys: impl Iterator<Item = &'k str> + Clone,
    ) -> bool {
        let Some(tool) = self.find(tool) else { return false };
        let is_own = |key: &str| {
            let folded = fold_name(key);
            tool.keys.iter().any(|known| fold_name(known) == folded)
        };
        keys.clone().any(|key| DESCRIBING_KEYS.contains(&key)) && !keys.any(is_own)
    }

    /// Splits a name that a key was glued to.
    pub(crate) fn split<'n>(&self, glued: &'n str) -> Option<(&'n str, &'n str)> {
        let prefixes = self.tools.iter().filter(|tool| glued.starts_with(&tool.name));
        let longest = prefixes.max_by_key(|tool| tool.name.len())?;
        glued.split_at_checked(longest.name.len())
    }

    /// The tool whose name has the same letters.
    fn folded(&self, name: &str) -> Option<&Tool> {
        let folded = fold_name(name);
        let at = self.tools.binary_search_by(|tool| tool.folded.as_str().cmp(&folded));
        self.tools.get(at.ok()?).filter(|tool| !tool.folded.is_empty())
    }

    /// The tool of this name, but for case, separators and known prefixes.
    pub(crate) fn find(&self, name: &str) -> Option<&Tool> {
        // Most names are spelt as they are offered.
        if let Some(tool) = self.tools.iter().find(|tool| tool.name == name) {
            return Some(tool);
        }
        let mut name = name.trim();
        let letters = name.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_strange = first_bit(letters).is_some_and(|bit| self.starts & bit == 0);
        if is_strange && !has_namespace(name) {
            return None;
        }
        loop {
            let letters = name.bytes().filter(u8::is_ascii_alphanumeric).count();
            if letters == 0 && name.is_ascii() {
                return None;
            }
            let may_be = self.lengths & length_bit(letters) != 0 || !name.is_ascii();
            if let Some(tool) = may_be.then(|| self.folded(name)).flatten() {
                return Some(tool);
            }
            if !has_namespace(name) {
                return None;
            }
            let shorter = without_namespace(name).or_else(|| name.strip_suffix(".call"));
            name = match shorter {
                Some(shorter) => shorter,
                None => name.rsplit_once(['.', ':', '/']).or_else(|| name.rsplit_once("__"))?.1,
            };
        }
    }
}

impl Tool {
    /// Whether this is one of its parameters.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|known| known == key)
    }
}

/// Members of what describes a thing: a tool, a package.
const DESCRIBING_KEYS: [&str; 6] =
    ["description", "version", "title", "summary", "returns", "required"];

/// The bit of the letter that a text starts with, whatever its case; none for letters that are not
/// of ASCII.
fn first_bit(text: &str) -> Option<u128> {
    let first = text.bytes().next().filter(u8::is_ascii)?;
    Some(1 << first.to_ascii_lowercase())
}

/// The bit of a length; all long ones share the last.
fn length_bit(length: usize) -> u128 {
    1 << length.min(127)
}

/// Namespaces that models put before the name of a tool.
const PREFIXES: [&str; 7] =
    ["functions.", "default_api.", "tools.", "tool.", "functions_", "functions:", "api."];

/// Whether something may stand before the name of a tool.
fn has_namespace(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.iter().any(|byte| matches!(byte, b'.' | b':' | b'/'))
        || bytes.windows(2).any(|pair| pair == b"__")
        || name.starts_with("functions_")
}

/// The name of a tool without a namespace that models put before any name.
#[must_use]
pub fn without_namespace(name: &str) -> Option<&str> {
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix))
}

/// The name of a tool without case and separators: what spellings of one name share.
#[must_use]
pub fn fold_name(name: &str) -> String {
    // Most names need no tables.
    if name.is_ascii() {
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
        return kept.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    }
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::Offered;

    #[test]
    fn names_are_known_by_their_letters() {
        let keys: [&str; 0] = [];
        let offered = Offered::new([("get_weather", keys), ("math.factorial", keys)]);
        for name in ["get_weather", "Get-Weather", "functions.get_weather", "math_factorial"] {
            assert!(offered.knows(name), "{name}");
        }
        assert!(!offered.knows("get"));
        assert!(!offered.knows(""));
        assert_eq!(offered.split("get_weathercity"), Some(("get_weather", "city")));
    }
}
