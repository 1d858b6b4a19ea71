//! The calls that have no result yet, found by id, by name and by position.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Chain;
use crate::history::{Call, ToolResult};

/// Numbers of calls, in order.
type Numbers = BTreeSet<usize>;

/// The calls without result.
pub(super) struct Open<'h> {
    all: Numbers,
    without_id: Numbers,
    of_id: HashMap<&'h str, Ids>,
    of_name: HashMap<&'h str, Numbers>,
    of_name_without_id: HashMap<&'h str, Numbers>,
}

/// The calls of one id.
#[derive(Default)]
struct Ids {
    open: Numbers,
    /// The first one, open or not.
    first: usize,
}

impl<'h> Open<'h> {
    pub(super) fn of(chain: &Chain<'h, '_>) -> Self {
        let mut open = Self {
            all: (0..chain.calls.len()).collect(),
            without_id: Numbers::new(),
            of_id: HashMap::new(),
            of_name: HashMap::new(),
            of_name_without_id: HashMap::new(),
        };
        for (number, link) in chain.calls.iter().enumerate() {
            open.of_name.entry(link.of.name()).or_default().insert(number);
            match link.of.id() {
                Some(id) => {
                    let ids = open
                        .of_id
                        .entry(id)
                        .or_insert_with(|| Ids { first: number, ..Ids::default() });
                    ids.open.insert(number);
                }
                None => {
                    open.without_id.insert(number);
                    open.of_name_without_id.entry(link.of.name()).or_default().insert(number);
                }
            }
        }
        open
    }

    /// This call has its result.
    pub(super) fn answer(&mut self, number: usize, call: &Call<'_>) {
        self.all.remove(&number);
        self.without_id.remove(&number);
        for named in [&mut self.of_name, &mut self.of_name_without_id] {
            if let Some(numbers) = named.get_mut(call.name()) {
                numbers.remove(&number);
            }
        }
        if let Some(ids) = call.id().and_then(|id| self.of_id.get_mut(id)) {
            ids.open.remove(&number);
        }
    }

    /// The first of these calls that has the id which the result names.
    pub(super) fn by_id(&self, result: &ToolResult<'_>, calls: Range<usize>) -> Option<usize> {
        first(&self.of_id.get(result.call_id()?)?.open, calls)
    }

    /// The first of these calls that ids do not tell apart from the result, and that calls the tool
    /// which the result names.
    pub(super) fn by_name(&self, result: &ToolResult<'_>, calls: Range<usize>) -> Option<usize> {
        let named = match result.call_id() {
            None => &self.of_name,
            Some(id) if self.of_id.contains_key(id) => return None,
            Some(_) => &self.of_name_without_id,
        };
        first(named.get(result.name.as_deref()?)?, calls)
    }

    /// The first of these calls that ids do not tell apart from the result.
    pub(super) fn by_position(
        &self,
        result: &ToolResult<'_>,
        calls: Range<usize>,
    ) -> Option<usize> {
        match result.call_id() {
            None => first(&self.all, calls),
            // A call somewhere has this id: the result is not just anyone's.
            Some(id) if self.of_id.contains_key(id) => None,
            Some(_) => first(&self.without_id, calls),
        }
    }

    /// The last call of this id before `bound`.
    pub(super) fn last_before(&self, id: &str, bound: usize) -> Option<usize> {
        self.of_id.get(id)?.open.range(..bound).next_back().copied()
    }

    /// The next call from `bound` on that has the result's id, if none before ever had it.
    pub(super) fn find_behind(&self, result: &ToolResult<'_>, bound: usize) -> Option<usize> {
        let ids = self.of_id.get(result.call_id()?)?;
        if ids.first < bound {
            return None;
        }
        ids.open.range(bound..).next().copied()
    }
}

fn first(numbers: &Numbers, calls: Range<usize>) -> Option<usize> {
    numbers.range(calls).next().copied()
}
