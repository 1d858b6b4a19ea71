//! Lists of messages that the database has, so that a list which goes on from one of them is soon found.

use super::split::SPACE;

/// Some messages of a list: where they end in its text, and their row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) end: usize,
    pub(super) id: i64,
}

/// A list of messages, by the row of its tools, and its parts.
#[derive(Debug)]
pub(super) struct List {
    pub(super) root: i64,
    /// A copy: memory that another thread made would wait here, and end in this one.
    pub(super) text: String,
    pub(super) parts: Vec<Part>,
    /// The turn that used it last.
    pub(super) used: u64,
}

impl List {
    /// Lists are sorted by this: without what closes them, one that another goes on from comes before it,
    /// and what is between the two goes on from it as well.
    fn key(&self) -> (i64, &str) {
        (self.root, open(&self.text))
    }

    /// Those of its parts that another list starts with.
    fn shared(&self, other: &str) -> &[Part] {
        let own = open(&self.text);
        let common = if other.starts_with(own) { own.len() } else { common(own, other) };
        let count = self.parts.partition_point(|part| part.end <= common);
        let shared = self.parts.get(..count).unwrap_or_default();
        let rest = shared.last().and_then(|part| other.get(part.end..));
        // A number may go on where it ended in this list.
        match rest.is_some_and(|rest| rest.trim_start_matches(SPACE).starts_with([',', ']'])) {
            true => shared,
            false => &[],
        }
    }
}

/// The lists, sorted.
#[derive(Debug, Default)]
pub(super) struct Lists(Vec<List>);

/// How a list begins that is not among them.
#[derive(Debug, Default)]
pub(super) struct Start {
    pub(super) parts: Vec<Part>,
    /// The list that it goes on from, whose place it takes.
    pub(super) replaces: Option<usize>,
}

impl Lists {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &List> {
        self.0.iter()
    }

    /// Where a list would stand: right behind itself, if it is there.
    pub(super) fn place(&self, root: i64, text: &str) -> usize {
        let key = (root, open(text));
        self.0.partition_point(|list| list.key() <= key)
    }

    /// The list before a place, if it is this one.
    pub(super) fn same_before(&mut self, place: usize, root: i64, text: &str) -> Option<&mut List> {
        let list = self.0.get_mut(place.checked_sub(1)?)?;
        (list.root == root && list.text == text).then_some(list)
    }

    /// How a list begins whose place is known: its neighbours have most in common with it.
    pub(super) fn start(&self, place: usize, root: i64, text: &str) -> Start {
        let near = |at: Option<usize>| {
            let at = at?;
            let list = self.0.get(at).filter(|list| list.root == root)?;
            Some((at, list, list.shared(text)))
        };
        let goes_on = |(_, list, shared): &(_, &List, &[Part])| shared.len() == list.parts.len();
        let before = near(place.checked_sub(1));
        let best = match before {
            Some(before) if goes_on(&before) => Some(before),
            _ => before
                .into_iter()
                .chain(near(Some(place)))
                .max_by_key(|(.., shared)| shared.last().map_or(0, |part| part.end)),
        };
        let Some(best) = best.filter(|(.., shared)| !shared.is_empty()) else {
            return Start::default();
        };
        let mut parts = Vec::with_capacity(best.2.len() + 1);
        parts.extend_from_slice(best.2);
        Start { parts, replaces: goes_on(&best).then_some(best.0) }
    }

    /// Makes a list the one that goes on from it, and gives how long it was.
    pub(super) fn go_on(&mut self, at: usize, text: &str, parts: Vec<Part>, used: u64) -> usize {
        let Some(list) = self.0.get_mut(at) else { return 0 };
        let length = list.text.len();
        let own = open(&list.text);
        let (kept, rest) = match text.strip_prefix(own) {
            Some(rest) => (own.len(), rest),
            None => (0, text),
        };
        list.text.truncate(kept);
        list.text.push_str(rest);
        (list.parts, list.used) = (parts, used);
        length
    }

    /// Adds a list.
    pub(super) fn insert(&mut self, list: List) {
        let at = self.place(list.root, &list.text);
        self.0.insert(at, list);
    }

    /// Takes out the one that was used longest ago.
    pub(super) fn remove_oldest(&mut self) -> Option<List> {
        let oldest = self.0.iter().enumerate().min_by_key(|(_, list)| list.used);
        oldest.map(|(at, _)| at).map(|at| self.0.remove(at))
    }

    pub(super) fn retain(&mut self, keep: impl FnMut(&List) -> bool) {
        self.0.retain(keep);
    }
}

/// A list without what closes it.
fn open(list: &str) -> &str {
    list.strip_suffix(']').unwrap_or(list)
}

/// How many bytes two texts begin with that are the same.
fn common(one: &str, other: &str) -> usize {
    const BLOCK: usize = 64;
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let same = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one.iter().skip(same).zip(other.iter().skip(same));
    same + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::common;

    #[test]
    fn what_is_common_is_counted_in_bytes() {
        let text = "é".repeat(100);
        assert_eq!(common(&text, &text), 200);
        assert_eq!(common(&text, &format!("{text}x")), 200);
        assert_eq!(common(&text, &text.replacen('é', "è", 1)), 1);
        for at in 0..100 {
            let other = format!("{}x", "é".repeat(at));
            assert_eq!(common(&text, &other), at * 2);
        }
    }
}
