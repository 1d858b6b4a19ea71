//! What turns were asked with, kept once: the tools, and behind them the messages. Each turn of a
//! conversation repeats the messages of those before, so that its row names the last part of them, and
//! each part the one before.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::engine::{Cell, Engine, Target, Type};
use crate::{Redactor, StoreError};

/// A part has at least so many bytes where more messages follow: a row of its own for each short
/// message would cost more than what is shared by it.
const PART_BYTES: usize = 2048;
/// What a row takes beside its text, roughly: the index included.
const ROW_BYTES: usize = 50;

/// So many lists of tools are remembered; an agent has one or two.
const TOOLS_MAX: usize = 256;
/// So many lists of messages are remembered; a conversation has one.
const LISTS_MAX: usize = 256;
/// So many bytes of both are.
const BYTES_MAX: usize = 16 << 20;

/// So deep values are read.
const DEPTH_MAX: usize = 127;
/// How the keys begin by which the reader of values tells numbers that it has written itself.
const OWN_KEY: &str = "$serde_json::private::";

/// The end of a part that no other list goes on from: there is no message that it ends with.
const NO_END: usize = usize::MAX;

const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

const REQUESTS: Target = Target {
    table: "toolmend_requests",
    columns: &[
        ("id", Type::Int),
        ("before", Type::Int),
        ("body", Type::Text),
        ("bytes", Type::Int),
    ],
    tail: "",
};

/// What the database is known to have of requests.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Lists of tools by where they are in memory: they are long, and shared by the turns that have
    /// them. Each is held, so that no other one can be there.
    tools: HashMap<usize, Tools>,
    /// Lists of messages, by the row of their tools. Those that begin alike are neighbours.
    lists: BTreeMap<(i64, Arc<str>), List>,
    bytes: usize,
    /// Counts the turns: what was used longest ago is forgotten first.
    now: u64,
}

/// A list of tools and its row.
#[derive(Debug)]
struct Tools {
    text: Arc<str>,
    id: i64,
    used: u64,
}

/// The parts of a list of messages.
#[derive(Debug)]
struct List {
    parts: Vec<Part>,
    used: u64,
}

/// Some messages of a list: where they end in its text, and their row.
#[derive(Clone, Copy, Debug)]
struct Part {
    end: usize,
    id: i64,
}

/// Rows that the database does not have yet. They are numbered as they come.
#[derive(Debug)]
pub(crate) struct NewRows {
    next: i64,
    cells: Vec<Cell<'static>>,
}

impl NewRows {
    pub(crate) fn from(next: i64) -> Self {
        Self { next, cells: Vec::new() }
    }

    fn add(&mut self, before: Option<i64>, body: String) -> i64 {
        let id = self.next;
        let bytes = i64::try_from(body.len() + ROW_BYTES).unwrap_or(i64::MAX);
        let before = before.map_or(Cell::Null, Cell::Int);
        self.cells.extend([id.into(), before, Cell::Text(body.into()), bytes.into()]);
        self.next += 1;
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len() / REQUESTS.columns.len()
    }

    pub(crate) fn write(&self, engine: &mut dyn Engine) -> Result<(), StoreError> {
        engine.insert(&REQUESTS, &self.cells)
    }
}

impl Requests {
    /// The row that leads to all of a request. What the database does not have yet is blanked and added.
    /// Messages that cannot be read again are left out.
    pub(crate) fn row(
        &mut self,
        tools: &Arc<str>,
        messages: Option<&Arc<str>>,
        (redactor, new): (&Redactor, &mut NewRows),
    ) -> i64 {
        self.now += 1;
        let root = self.root(tools, (redactor, new));
        let last = messages.and_then(|list| self.last(root, list, (redactor, new)));
        last.unwrap_or(root)
    }

    /// Forgets what names one of these rows.
    pub(crate) fn forget(&mut self, gone: &[i64]) {
        let gone: HashSet<i64> = gone.iter().copied().collect();
        self.tools.retain(|_, tools| !gone.contains(&tools.id));
        self.lists.retain(|(root, _), list| {
            !gone.contains(root) && !list.parts.iter().any(|part| gone.contains(&part.id))
        });
        self.bytes = self.lists.keys().map(|(_, list)| list.len()).sum::<usize>()
            + self.tools.values().map(|tools| tools.text.len()).sum::<usize>();
    }

    /// Forgets what was used longest ago until so many bytes more can be remembered; gives whether they
    /// can. What this turn uses stays.
    fn make_room(&mut self, bytes: usize) -> bool {
        while self.bytes + bytes > BYTES_MAX {
            let list = self.lists.values().map(|list| list.used).min().unwrap_or(self.now);
            let tools = self.tools.values().map(|tools| tools.used).min().unwrap_or(self.now);
            if list.min(tools) == self.now {
                return false;
            }
            // Tools are used whenever a list behind them is.
            if list <= tools { self.drop_list() } else { self.drop_tools() }
        }
        true
    }

    fn drop_list(&mut self) {
        let oldest = self.lists.iter().min_by_key(|(_, list)| list.used);
        let oldest = oldest.map(|(key, _)| key.clone());
        if let Some(key) = oldest.filter(|key| self.lists.remove(key).is_some()) {
            self.bytes -= key.1.len();
        }
    }

    /// Nothing finds the lists behind them any more.
    fn drop_tools(&mut self) {
        let oldest = self.tools.values().min_by_key(|tools| tools.used).map(|tools| tools.id);
        self.forget(oldest.as_slice());
    }

    fn root(&mut self, tools: &Arc<str>, (redactor, new): (&Redactor, &mut NewRows)) -> i64 {
        let address = Arc::as_ptr(tools).cast::<u8>().addr();
        if let Some(tools) = self.tools.get_mut(&address) {
            tools.used = self.now;
            return tools.id;
        }
        if self.tools.len() >= TOOLS_MAX {
            self.drop_tools();
        }
        let body = readable(tools.to_string()).and_then(|tools| redactor.json(tools));
        // Messages follow also where there is nothing to show of the tools.
        let id = new.add(None, body.unwrap_or_default());
        if self.make_room(tools.len()) {
            self.bytes += tools.len();
            self.tools.insert(address, Tools { text: Arc::clone(tools), id, used: self.now });
        }
        id
    }

    /// The row of the last part of a list.
    fn last(
        &mut self,
        root: i64,
        list: &Arc<str>,
        (redactor, new): (&Redactor, &mut NewRows),
    ) -> Option<i64> {
        let key = (root, Arc::clone(list));
        if let Some(list) = self.lists.get_mut(&key) {
            list.used = self.now;
            return list.parts.last().map(|part| part.id);
        }
        let (mut parts, gone) = self.start_of(&key);
        let start = parts.last().map_or(0, |part| part.end);
        let bodies = parts_from(list, start)?.into_iter();
        let bodies = bodies.map(|(end, body)| Some((end, redactor.json(body)?)));
        // No row is added before all of them can be.
        for (end, body) in bodies.collect::<Option<Vec<_>>>()? {
            let before = parts.last().map_or(root, |part| part.id);
            parts.push(Part { end, id: new.add(Some(before), body) });
        }
        let id = parts.last().map(|part| part.id);
        self.remember(key, parts, gone);
        id
    }

    /// Those parts of a known list that another one starts with; and the known one, if the other one
    /// goes on from its end.
    fn start_of(&self, key: &(i64, Arc<str>)) -> (Vec<Part>, Option<(i64, Arc<str>)>) {
        let before = self.lists.range((Bound::Unbounded, Bound::Excluded(key))).next_back();
        let after = self.lists.range((Bound::Excluded(key), Bound::Unbounded)).next();
        let own = before.into_iter().chain(after).filter(|(near, _)| near.0 == key.0);
        let common = own.map(|(near, list)| (common(&near.1, &key.1), near, &list.parts));
        let Some((common, near, parts)) = common.max_by_key(|(common, ..)| *common) else {
            return (Vec::new(), None);
        };
        let kept = parts.partition_point(|part| part.end <= common);
        let kept: Vec<Part> = parts.iter().take(kept).copied().collect();
        let rest = kept.last().and_then(|part| key.1.get(part.end..));
        // A number may go on where it ended in the other list.
        if !rest.is_some_and(|rest| rest.trim_start_matches(SPACE).starts_with([',', ']'])) {
            return (Vec::new(), None);
        }
        let gone = (kept.len() == parts.len()).then(|| near.clone());
        (kept, gone)
    }

    fn remember(&mut self, key: (i64, Arc<str>), parts: Vec<Part>, gone: Option<(i64, Arc<str>)>) {
        if let Some(gone) = gone.filter(|gone| self.lists.remove(gone).is_some()) {
            self.bytes -= gone.1.len();
        }
        if self.lists.len() >= LISTS_MAX {
            self.drop_list();
        }
        if self.make_room(key.1.len()) {
            self.bytes += key.1.len();
            self.lists.insert(key, List { parts, used: self.now });
        }
    }
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

/// The parts of a list of messages behind a place where one of them ended, each with its end: lists, too.
/// What is no list is one part as it is. `None` where something in it cannot be read.
fn parts_from(list: &str, start: usize) -> Option<Vec<(usize, String)>> {
    let rest = list.get(start..)?;
    let (text, shift) = match start {
        0 if !rest.starts_with('[') => {
            serde_json::from_str::<&RawValue>(rest).ok()?;
            return Some(vec![(NO_END, readable(rest.to_owned())?)]);
        }
        0 => (Cow::Borrowed(rest), 0),
        _ => {
            let at = rest.find([',', ']'])?;
            let behind = rest.get(at + 1..)?;
            match rest.as_bytes().get(at) {
                Some(b',') => (Cow::Owned(["[", behind].concat()), start + at),
                _ => return behind.trim_matches(SPACE).is_empty().then(Vec::new),
            }
        }
    };
    let messages: Vec<&RawValue> = serde_json::from_str(&text).ok()?;
    if messages.is_empty() {
        return (start == 0).then(|| vec![(NO_END, "[]".to_owned())]);
    }
    let (mut parts, mut from) = (Vec::new(), None);
    for (number, message) in messages.iter().enumerate() {
        let own = message.get();
        let at = own.as_ptr().addr() - text.as_ptr().addr();
        let (first, end) = (*from.get_or_insert(at), at + own.len());
        if end - first >= PART_BYTES || number + 1 == messages.len() {
            parts.push((shift + end, readable(["[", text.get(first..end)?, "]"].concat())?));
            from = None;
        }
    }
    Some(parts)
}

/// A text as it can be read again; nothing where it cannot. It is JSON, so only an escape may be half a
/// pair, a key be one that the reader takes for its own, or the text go deeper than the reader does.
fn readable(list: String) -> Option<String> {
    if !list.contains(r"\u") && !list.contains(OWN_KEY) && is_shallow(&list) {
        return Some(list);
    }
    serde_json::from_str::<Value>(&list).ok().map(|read| read.to_string())
}

/// Whether a JSON text is no deeper than what is read.
fn is_shallow(text: &str) -> bool {
    let opens = |byte: u8| matches!(byte, b'[' | b'{');
    if text.bytes().filter(|byte| opens(*byte)).count() <= DEPTH_MAX {
        return true;
    }
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        if is_string {
            is_string = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => is_string = true,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => depth += usize::from(opens(byte)),
        }
        if depth > DEPTH_MAX {
            return false;
        }
    }
    true
}

/// All parts of a request, its tools first.
pub(crate) fn parts(engine: &mut dyn Engine, last: i64) -> Result<Vec<String>, StoreError> {
    // A part has a larger number than the one before it.
    let sql = "WITH RECURSIVE chain (id, before, body) AS (
         SELECT id, before, body FROM toolmend_requests WHERE id = $1
         UNION ALL SELECT part.id, part.before, part.body
         FROM toolmend_requests AS part JOIN chain ON part.id = chain.before)
         SELECT body FROM chain ORDER BY id";
    let rows = engine.rows(sql, &[last.into()])?;
    Ok(rows.into_iter().map(|mut row| row.text()).collect())
}

/// Removes those of these requests, and of what they go on from, that nothing needs any more; gives
/// which went.
pub(crate) fn remove(engine: &mut dyn Engine, mut ids: Vec<i64>) -> Result<Vec<i64>, StoreError> {
    let mut all = Vec::new();
    while !ids.is_empty() {
        let list = ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let sql = format!(
            "DELETE FROM toolmend_requests WHERE id IN ({list})
             AND NOT EXISTS (SELECT 1 FROM toolmend_texts
                             WHERE toolmend_texts.request = toolmend_requests.id)
             AND NOT EXISTS (SELECT 1 FROM toolmend_requests AS later
                             WHERE later.before = toolmend_requests.id)
             RETURNING id, before"
        );
        ids.clear();
        for mut row in engine.passing_rows(&sql)? {
            all.push(row.int());
            ids.extend(Some(row.int()).filter(|before| *before > 0));
        }
        ids.sort_unstable();
        ids.dedup();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{NewRows, PART_BYTES, Requests, common, parts_from};
    use crate::Redactor;
    use crate::engine::Cell;

    /// The rows that a list of messages adds: what each goes on from, and its text.
    fn added(
        requests: &mut Requests,
        next: i64,
        tools: &Arc<str>,
        list: &str,
    ) -> Vec<(i64, String)> {
        let mut new = NewRows::from(next);
        let redactor = Redactor::new(&[]).unwrap();
        let id = requests.row(tools, Some(&list.into()), (&redactor, &mut new));
        assert!(new.len() == 0 || id == next + i64::try_from(new.len()).unwrap() - 1, "{list}");
        let row = |cells: &[Cell<'_>]| match cells {
            [_, Cell::Int(before), Cell::Text(body), _] => (*before, body.to_string()),
            [_, Cell::Null, Cell::Text(body), _] => (0, body.to_string()),
            _ => (-1, format!("{cells:?}")),
        };
        new.cells.chunks(4).map(row).collect()
    }

    fn rows<const N: usize>(rows: [(i64, &str); N]) -> Vec<(i64, String)> {
        rows.map(|(before, body)| (before, body.to_owned())).to_vec()
    }

    #[test]
    fn a_conversation_adds_what_is_new() {
        let mut requests = Requests::default();
        let tools: Arc<str> = "[1]".into();
        let mut add = |next: i64, list: &str| added(&mut requests, next, &tools, list);
        assert_eq!(add(1, r#"[{"a":1}]"#), rows([(0, "[1]"), (1, r#"[{"a":1}]"#)]));
        assert_eq!(add(3, r#"[{"a":1} , {"b":2}]"#), rows([(2, r#"[{"b":2}]"#)]));
        assert_eq!(add(4, r#"[{"a":1} , {"b":2}]"#), []);
        assert_eq!(add(4, r#"[{"a":1},{"b":2} ]"#), rows([(2, r#"[{"b":2}]"#)]), "spelt otherwise");
        assert_eq!(add(5, r#"[{"a":1} , {"b":2},{"c":"sk-abcdefghij0123456789"}]"#), {
            rows([(3, r#"[{"c":"***********************"}]"#)])
        });
        assert_eq!(add(6, r#"[{"x":1}]"#), rows([(1, r#"[{"x":1}]"#)]), "another one");
        assert_eq!(add(7, "[12]"), rows([(1, "[12]")]));
        assert_eq!(add(8, "[123]"), rows([(1, "[123]")]), "a number that goes on");
        assert_eq!(add(9, "[]"), rows([(1, "[]")]), "none are not the same as no list");
        assert_eq!(add(10, "[]"), []);
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let mut requests = Requests::default();
        let tools: Arc<str> = "[1]".into();
        let mut add = |list: &str| added(&mut requests, 7, &tools, list).len();
        assert_eq!(add("[1"), 1, "the tools alone");
        for list in ["[1,]", "{1}", r#""text"#, r#"["\ud83d"]"#, r#""\ud83d""#, "[1]]", ""] {
            assert_eq!(add(list), 0, "{list}");
        }
        assert_eq!(add(r#""text""#), 1, "what is no list");
        assert_eq!(add("[]"), 1);
        for list in [r#""text",1]"#, "[]]", "[],1]"] {
            assert_eq!(add(list), 0, "{list}");
        }
        assert_eq!(add("[1]"), 1);
        for list in ["[1,]", "[1]]", r#"[1,"\ud83d"]"#, "[1 2]", "[1,2"] {
            assert_eq!(add(list), 0, "{list}");
        }
        assert_eq!(add(r#"[1,"\u00e9"]"#), 1);
    }

    #[test]
    fn what_no_value_is_read_from_is_left_out() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let mut requests = Requests::default();
        let tools: Arc<str> = "[1]".into();
        let mut add = |list: &str| added(&mut requests, 7, &tools, list);
        assert_eq!(add("[1]").len(), 2);
        let own_key = r#"[1,{"$serde_json::private::Number":"x","u":"postgres:\/\/me:secret@h"}]"#;
        let plain = r#"[1,{"$serde_json::private::Number":"x"}]"#;
        for list in [own_key, plain, &nested(128), &format!("[1,{}]", nested(127))] {
            assert_eq!(add(list), [], "{list}");
        }
        // A part before the one that cannot be read is left out with it.
        let long = format!("\"{}\"", "x".repeat(PART_BYTES));
        assert_eq!(add(&format!("[{long},{}]", nested(127))), []);
        let told = r#"["$serde_json::private::Number"]"#;
        let wide = format!("[2{}]", r#",{"[\"[":[1]}"#.repeat(100));
        for list in [told, &wide, &nested(127)] {
            assert_eq!(add(list), rows([(7, list)]));
        }
    }

    #[test]
    fn tools_that_no_value_is_read_from_are_left_out() {
        let tools: Arc<str> = r#"[{"$serde_json::private::Number":"x","u":"a:\/\/b:c@d"}]"#.into();
        let rows_of = added(&mut Requests::default(), 1, &tools, "[1]");
        assert_eq!(rows_of, rows([(0, ""), (1, "[1]")]));
    }

    #[test]
    fn long_messages_are_parts_of_their_own() {
        let long = format!(r#"{{"m":"{}"}}"#, "x".repeat(PART_BYTES));
        let list = format!("[{long}, 1, 2, {long}, 3, 4]");
        let parts = parts_from(&list, 0).unwrap();
        let texts: Vec<&str> = parts.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, [&format!("[{long}]"), &format!("[1, 2, {long}]"), "[3, 4]"]);
        assert_eq!(parts_from(&list, parts[0].0).unwrap(), parts[1..]);
        assert_eq!(parts_from(&list, parts[1].0).unwrap(), parts[2..]);
        assert_eq!(parts_from(&list, parts[2].0).unwrap(), []);
        // Another end of the same start shares the long parts.
        let (mut requests, tools): (_, Arc<str>) = (Requests::default(), "[]".into());
        assert_eq!(added(&mut requests, 1, &tools, &list).len(), 4);
        let other = list.replace("3, 4", "3, 5, 6");
        assert_eq!(added(&mut requests, 5, &tools, &other), rows([(3, "[3, 5, 6]")]));
    }

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

    #[test]
    fn what_goes_is_forgotten_and_nothing_else() {
        let (mut requests, tools): (_, Arc<str>) = (Requests::default(), "[0]".into());
        let other: Arc<str> = "[9]".into();
        assert_eq!(added(&mut requests, 1, &tools, "[1]").len(), 2);
        assert_eq!(added(&mut requests, 3, &tools, "[2]").len(), 1);
        assert_eq!(added(&mut requests, 4, &other, "[3]").len(), 2);
        requests.forget(&[2, 70]);
        assert_eq!(added(&mut requests, 6, &tools, "[2,3]"), rows([(3, "[3]")]), "goes on");
        assert_eq!(added(&mut requests, 7, &tools, "[1]"), rows([(1, "[1]")]), "went");
        requests.forget(&[4]);
        assert_eq!(added(&mut requests, 8, &other, "[3]"), rows([(0, "[9]"), (8, "[3]")]));
        assert_eq!(added(&mut requests, 9, &tools, "[1]"), []);
        requests.forget(&[1, 3, 6, 7, 8, 9]);
        assert_eq!(requests.bytes, 0);
    }

    /// How many bytes are remembered, counted anew.
    fn counted(requests: &Requests) -> usize {
        let lists: usize = requests.lists.keys().map(|(_, list)| list.len()).sum();
        lists + requests.tools.values().map(|tools| tools.text.len()).sum::<usize>()
    }

    #[test]
    fn memory_is_bounded_and_keeps_what_is_used() {
        let mut requests = Requests::default();
        let tools: Arc<str> = "[]".into();
        added(&mut requests, 1, &tools, "[0]");
        for number in 1..1000 {
            added(&mut requests, number * 2 + 1, &tools, &format!("[\"{number}\"]"));
            assert_eq!(added(&mut requests, number * 2 + 2, &tools, "[0]"), [], "{number}");
        }
        assert_eq!(requests.lists.len(), super::LISTS_MAX);
        assert_eq!(requests.bytes, counted(&requests));
        let last = added(&mut requests, 5000, &tools, "[\"999\",1]");
        assert_eq!(last.first().map(|row| row.1.as_str()), Some("[1]"));
    }

    #[test]
    fn bytes_of_tools_and_lists_are_bounded() {
        let mut requests = Requests::default();
        let long = |number: usize| format!("[\"{number}{}\"]", "x".repeat(super::BYTES_MAX / 8));
        let (own, mut next): (Arc<str>, i64) = ("[0]".into(), 1);
        for number in 0..20 {
            let tools: Arc<str> = long(number).into();
            next += i64::try_from(added(&mut requests, next, &tools, "[1]").len()).unwrap();
            let own_rows = added(&mut requests, next, &own, "[2]").len();
            assert!(number == 0 || own_rows == 0, "{number}");
            next += i64::try_from(own_rows).unwrap();
            next += i64::try_from(added(&mut requests, next, &own, &long(number)).len()).unwrap();
            assert_eq!(requests.bytes, counted(&requests));
            assert!(requests.bytes <= super::BYTES_MAX);
        }
        assert!(requests.tools.len() > 2, "{}", requests.tools.len());
        let huge = format!("[\"{}\"]", "x".repeat(super::BYTES_MAX));
        assert_eq!(added(&mut requests, next, &own, &huge).len(), 1);
        assert_eq!(added(&mut requests, next, &own, &huge).len(), 1, "too long to remember");
    }
}
