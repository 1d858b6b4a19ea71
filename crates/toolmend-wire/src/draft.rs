//! Small edits of JSON text: what is not named keeps every byte.

use crate::json::Json;

/// One step of a path into a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'s> {
    Key(&'s str),
    Item(usize),
}

impl Step<'_> {
    /// The position, for a step into a list.
    pub(crate) fn item(&self) -> Option<usize> {
        match self {
            Self::Item(item) => Some(*item),
            Self::Key(_) => None,
        }
    }
}

impl<'s> From<&'s str> for Step<'s> {
    fn from(key: &'s str) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Step<'_> {
    fn from(item: usize) -> Self {
        Self::Item(item)
    }
}

/// A path, from names and positions.
macro_rules! at {
    ($($step:expr),* $(,)?) => { &[$($crate::draft::Step::from($step)),*] };
}
pub(crate) use at;

/// A valid JSON text that is being edited: what is not named keeps every byte.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    text: String,
    /// How many changes were made.
    edits: usize,
}

impl Draft {
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), edits: 0 }
    }

    pub(crate) fn is_changed(&self) -> bool {
        self.edits > 0
    }

    /// How many changes were made.
    pub(crate) fn edits(&self) -> usize {
        self.edits
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The value at a path.
    pub(crate) fn get(&self, path: &[Step<'_>]) -> Option<Json<'_>> {
        path.iter().try_fold(Json::of_valid(&self.text), |json, step| match *step {
            Step::Key(key) => json.get(key),
            Step::Item(item) => json.items().nth(item),
        })
    }

    /// Puts a value at a path: in place of the one that is there, or as the last member of an
    /// object. Nothing happens where it stands already, and where there is no such object.
    pub(crate) fn set(&mut self, path: &[Step<'_>], json: &str) {
        if let Some(value) = self.get(path) {
            let (start, end) = value.span();
            if value.raw() != json {
                self.splice(start, end, json);
            }
            return;
        }
        let Some((Step::Key(key), parent)) = path.split_last() else { return };
        let Some(object) = self.get(parent).filter(|json| json.is_object()) else { return };
        let comma = if object.members().next().is_some() { "," } else { "" };
        let member = format!("{comma}{}:{json}", crate::json::quote(key));
        let at = object.members().last().map_or(object.span().0 + 1, |(_, value)| value.span().1);
        self.splice(at, at, &member);
    }

    /// Puts a text as a string at a path.
    pub(crate) fn set_text(&mut self, path: &[Step<'_>], text: &str) {
        let is_there = self.get(path).and_then(Json::text).is_some_and(|there| there == text);
        if !is_there {
            self.set(path, &crate::json::quote(text));
        }
    }

    /// Adds an item at the end of an array.
    pub(crate) fn push(&mut self, path: &[Step<'_>], json: &str) {
        let Some(array) = self.get(path).filter(|json| json.is_array()) else { return };
        let (at, comma) = match array.items().last() {
            Some(item) => (item.span().1, ","),
            None => (array.span().0 + 1, ""),
        };
        self.splice(at, at, &format!("{comma}{json}"));
    }

    /// Takes out the item at a path, or all members of that name, with the commas that go with them.
    pub(crate) fn remove(&mut self, path: &[Step<'_>]) {
        self.remove_last(path);
        while matches!(path.last(), Some(Step::Key(_))) && self.get(path).is_some() {
            self.remove_last(path);
        }
    }

    fn remove_last(&mut self, path: &[Step<'_>]) {
        let Some((last, parent)) = path.split_last() else { return };
        let Some(parent) = self.get(parent) else { return };
        let (starts_ends, found): (Vec<_>, Option<usize>) = match *last {
            Step::Key(name) => {
                let members: Vec<_> = parent.members().collect();
                let at = members.iter().rposition(|(key, _)| key.is_key(name));
                (members.iter().map(|(key, value)| (key.span().0, value.span().1)).collect(), at)
            }
            Step::Item(item) => (parent.items().map(Json::span).collect(), Some(item)),
        };
        let Some(at) = found else { return };
        let Some(&(start, end)) = starts_ends.get(at) else { return };
        let before = at.checked_sub(1).and_then(|before| starts_ends.get(before));
        match (starts_ends.get(at + 1), before) {
            (Some(&(next, _)), _) => self.splice(start, next, ""),
            (None, Some(&(_, previous))) => self.splice(previous, end, ""),
            (None, None) => self.splice(start, end, ""),
        }
    }

    fn splice(&mut self, start: usize, end: usize, with: &str) {
        self.text.replace_range(start..end, with);
        self.edits += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::Draft;

    #[test]
    fn only_what_is_named_changes() {
        let mut draft = Draft::new("{ \"a\" : [1, 2 ,3],\n\"b\":{} }");
        draft.set(at!["a", 1], "\"x\"");
        draft.set(at!["b", "c"], "true");
        draft.set(at!["b", "d"], "0");
        assert_eq!(draft.text(), "{ \"a\" : [1, \"x\" ,3],\n\"b\":{\"c\":true,\"d\":0} }");
    }

    #[test]
    fn removing_leaves_valid_text() {
        for (at, left) in [(0, "[2 ,3 ]"), (1, "[1, 3 ]"), (2, "[1, 2 ]")] {
            let mut draft = Draft::new("[1, 2 ,3 ]");
            draft.remove(at![at]);
            assert_eq!(draft.text(), left);
        }
        let mut draft = Draft::new("{\"a\":1}");
        draft.remove(at!["a"]);
        draft.remove(at!["a"]);
        assert_eq!(draft.text(), "{}");
    }

    #[test]
    fn what_stands_there_already_is_no_change() {
        let mut draft = Draft::new("{\"a\":\"\\u0041\",\"n\":1}");
        draft.set_text(at!["a"], "A");
        draft.set(at!["n"], "1");
        draft.set(at!["x", "y"], "1");
        draft.push(at!["n"], "1");
        assert!(!draft.is_changed());
    }
}
