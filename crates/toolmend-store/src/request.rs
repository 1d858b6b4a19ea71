//! What turns were asked with, kept once: the tools, and behind them the messages. Each turn of a
//! conversation repeats the messages of those before, so that its row has the last part of them, and
//! each part names the one before.

mod lists;
mod split;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::engine::{Cell, Engine, Target, Type};
use crate::record::Request;
use crate::{Redactor, StoreError};
use lists::{List, Lists, Part, Start};
use split::{parts_from, readable};

/// What a row takes beside its text, roughly: the index included.
const ROW_BYTES: usize = 50;

/// So many lists of tools are remembered; an agent has one or two.
const TOOLS_MAX: usize = 256;
/// So many lists of messages are remembered; a conversation has one.
const LISTS_MAX: usize = 256;
/// So many bytes of both are.
const BYTES_MAX: usize = 16 << 20;

pub(crate) const TEXTS: Target = Target {
    table: "toolmend_texts",
    columns: &[
        ("id", Type::Int),
        ("before", Type::Int),
        ("part", Type::Text),
        ("own", Type::Text),
        ("bytes", Type::Int),
    ],
    tail: "",
};

/// What the database is known to have of requests.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    /// Lists of tools by where they are in memory: they are long, and shared by the turns that have
    /// them. Each is held, so that no other one can be there.
    tools: HashMap<usize, Tools, RandomState>,
    lists: Lists,
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

/// What the row of a turn has of its request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The row that it goes on from.
    before: Option<i64>,
    /// What it adds, where that is in no other row.
    part: Option<String>,
}

/// The cells of a row of texts. Those of turns say elsewhere what their own text takes.
pub(crate) fn cells(id: i64, asked: Asked, own: Cell<'_>) -> [Cell<'_>; 5] {
    let bytes = asked.part.as_ref().map_or(0, |part| part.len() + ROW_BYTES);
    let part = asked.part.map_or(Cell::Null, |part| Cell::Text(part.into()));
    let before = asked.before.map_or(Cell::Null, Cell::Int);
    [id.into(), before, part, own, i64::try_from(bytes).unwrap_or(i64::MAX).into()]
}

/// Rows that the database does not have yet, beside those of turns. They are numbered as they come.
#[derive(Debug)]
pub(crate) struct NewRows {
    next: i64,
    cells: Vec<Cell<'static>>,
}

impl NewRows {
    pub(crate) fn from(next: i64) -> Self {
        Self { next, cells: Vec::new() }
    }

    fn add(&mut self, before: Option<i64>, part: String) -> i64 {
        let id = self.next;
        self.cells.extend(cells(id, Asked { before, part: Some(part) }, Cell::Null));
        self.next += 1;
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.cells.len() / TEXTS.columns.len()
    }

    pub(crate) fn into_cells(self) -> Vec<Cell<'static>> {
        self.cells
    }
}

impl Requests {
    /// What the row of a turn has to have so that it leads to all of its request. What the database does
    /// not have yet is blanked and added. Messages that cannot be read again are left out.
    pub(crate) fn asked(
        &mut self,
        turn: i64,
        request: &Request,
        (redactor, new): (&Redactor, &mut NewRows),
    ) -> Asked {
        self.now += 1;
        let root = self.root(&request.tools, (redactor, new));
        let messages = request.messages.as_ref();
        let behind = messages.and_then(|list| self.behind((root, turn), list, (redactor, new)));
        behind.unwrap_or(Asked { before: Some(root), part: None })
    }

    /// Forgets what names one of these rows.
    pub(crate) fn forget(&mut self, gone: &[i64]) {
        let gone: HashSet<i64> = gone.iter().copied().collect();
        self.tools.retain(|_, tools| !gone.contains(&tools.id));
        self.lists.retain(|list| {
            !gone.contains(&list.root) && !list.parts.iter().any(|part| gone.contains(&part.id))
        });
        self.bytes = self.lists.iter().map(|list| list.text.len()).sum::<usize>()
            + self.tools.values().map(|tools| tools.text.len()).sum::<usize>();
    }

    /// Which rows of what is remembered are not there any more. A part is there as long as a later one
    /// names it, so the last part of a list tells of all.
    pub(crate) fn gone(&self, engine: &mut dyn Engine) -> Result<Vec<i64>, StoreError> {
        let last = self.lists.iter().filter_map(|list| list.parts.last()).map(|part| part.id);
        let mut known: HashSet<i64> =
            self.tools.values().map(|tools| tools.id).chain(last).collect();
        if !known.is_empty() {
            let ids = known.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            let sql = format!("SELECT id FROM toolmend_texts WHERE id IN ({ids})");
            for mut row in engine.passing_rows(&sql)? {
                known.remove(&row.int());
            }
        }
        Ok(known.into_iter().collect())
    }

    /// Forgets what was used longest ago, until what is remembered is within bounds; what this turn uses
    /// at last.
    fn shrink(&mut self) {
        while self.bytes > BYTES_MAX {
            let list = self.lists.iter().map(|list| list.used).min();
            let tools = self.tools.values().map(|tools| tools.used).min();
            // Tools are used whenever a list behind them is.
            match (list, tools) {
                (Some(list), tools) if tools.is_none_or(|tools| list <= tools) => self.drop_list(),
                (_, Some(_)) => self.drop_tools(),
                (_, None) => return,
            }
        }
    }

    fn drop_list(&mut self) {
        let oldest = self.lists.remove_oldest();
        self.bytes -= oldest.map_or(0, |list| list.text.len());
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
        self.bytes += tools.len();
        self.tools.insert(address, Tools { text: Arc::clone(tools), id, used: self.now });
        self.shrink();
        id
    }

    /// What the row of a turn has of a list. Of the parts that are new, the last one is in it.
    fn behind(
        &mut self,
        (root, turn): (i64, i64),
        text: &str,
        (redactor, new): (&Redactor, &mut NewRows),
    ) -> Option<Asked> {
        let place = self.lists.place(root, text);
        if let Some(list) = self.lists.same_before(place, root, text) {
            list.used = self.now;
            return list.parts.last().map(|part| Asked { before: Some(part.id), part: None });
        }
        let Start { mut parts, replaces } = self.lists.start(place, root, text);
        let start = parts.last().map_or(0, |part| part.end);
        let bodies = parts_from(text, start)?.into_iter();
        let bodies = bodies.map(|(end, body)| Some((end, redactor.json(body)?)));
        // No row is added before all of them can be.
        let mut bodies = bodies.collect::<Option<Vec<_>>>()?;
        let last = bodies.pop();
        let mut before = parts.last().map_or(root, |part| part.id);
        for (end, body) in bodies {
            before = new.add(Some(before), body);
            parts.push(Part { end, id: before });
        }
        parts.extend(last.as_ref().map(|(end, _)| Part { end: *end, id: turn }));
        self.remember(root, text, Start { parts, replaces });
        Some(Asked { before: Some(before), part: last.map(|(_, body)| body) })
    }

    fn remember(&mut self, root: i64, text: &str, Start { parts, replaces }: Start) {
        self.bytes += text.len();
        match replaces {
            Some(at) => self.bytes -= self.lists.go_on(at, text, parts, self.now),
            None => {
                if self.lists.len() >= LISTS_MAX {
                    self.drop_list();
                }
                self.lists.insert(List { root, text: text.to_owned(), parts, used: self.now });
            }
        }
        self.shrink();
    }
}

/// All parts of a request up to a row, its tools first.
pub(crate) fn parts(engine: &mut dyn Engine, last: i64) -> Result<Vec<String>, StoreError> {
    let sql = "WITH RECURSIVE chain (before, part, far) AS (
         SELECT before, part, 0 FROM toolmend_texts WHERE id = $1
         UNION ALL SELECT texts.before, texts.part, chain.far + 1
         FROM toolmend_texts AS texts JOIN chain ON texts.id = chain.before)
         SELECT part FROM chain ORDER BY far DESC";
    let rows = engine.rows(sql, &[last.into()])?;
    Ok(rows.into_iter().filter_map(|mut row| row.optional()).collect())
}

/// Removes the texts of these turns, and what they go on from where nothing else does; gives which rows
/// went. Of a turn that others go on from, what it was asked with stays.
pub(crate) fn remove(engine: &mut dyn Engine, turns: &str) -> Result<Vec<i64>, StoreError> {
    let mut all = Vec::new();
    let mut take = |engine: &mut dyn Engine, meant: &str| {
        let sql = format!(
            "DELETE FROM toolmend_texts WHERE {meant}
             AND NOT EXISTS (SELECT 1 FROM toolmend_texts AS later
                             WHERE later.before = toolmend_texts.id)
             RETURNING id, before"
        );
        let mut before = Vec::new();
        for mut row in engine.passing_rows(&sql)? {
            all.push(row.int());
            before.extend(Some(row.int()).filter(|before| *before > 0));
        }
        before.sort_unstable();
        before.dedup();
        Ok::<_, StoreError>(before)
    };
    let mut ids = take(engine, turns)?;
    engine.batch(&format!("UPDATE toolmend_texts SET own = NULL WHERE {turns}"))?;
    while !ids.is_empty() {
        let list = ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        ids = take(engine, &format!("id IN ({list}) AND own IS NULL"))?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde_json::Value;

    use super::split::PART_BYTES;
    use super::{Asked, List, NewRows, Requests, parts_from};
    use crate::Redactor;
    use crate::engine::Cell;
    use crate::record::{Request, Texts};

    /// The parts that a turn adds: what each goes on from, and its text. Its own is the last one.
    fn added(
        requests: &mut Requests,
        turn: i64,
        tools: &Arc<str>,
        list: &str,
    ) -> Vec<(i64, String)> {
        let (rows, asked) = put(requests, turn, tools, list);
        let own = asked.part.map(|part| (asked.before.unwrap_or(0), part));
        rows.into_iter().map(|(_, before, part)| (before, part)).chain(own).collect()
    }

    /// The rows that a turn adds beside its own, numbered behind it, and what its own has.
    fn put(
        requests: &mut Requests,
        turn: i64,
        tools: &Arc<str>,
        list: &str,
    ) -> (Vec<(i64, i64, String)>, Asked) {
        let mut new = NewRows::from(turn + 1);
        let redactor = Redactor::new(&[]).unwrap();
        let request = Request { tools: Arc::clone(tools), messages: Some(list.into()) };
        let asked = requests.asked(turn, &request, (&redactor, &mut new));
        let row = |cells: &[Cell<'_>]| match cells {
            [Cell::Int(id), Cell::Int(before), Cell::Text(part), Cell::Null, _] => {
                (*id, *before, part.to_string())
            }
            [Cell::Int(id), Cell::Null, Cell::Text(part), Cell::Null, _] => {
                (*id, 0, part.to_string())
            }
            _ => (-1, -1, format!("{cells:?}")),
        };
        (new.into_cells().chunks(5).map(row).collect(), asked)
    }

    fn rows<const N: usize>(rows: [(i64, &str); N]) -> Vec<(i64, String)> {
        rows.map(|(before, body)| (before, body.to_owned())).to_vec()
    }

    #[test]
    fn a_conversation_adds_what_is_new() {
        let mut requests = Requests::default();
        let tools: Arc<str> = "[1]".into();
        let mut add = |next: i64, list: &str| added(&mut requests, next, &tools, list);
        assert_eq!(add(1, r#"[{"a":1}]"#), rows([(0, "[1]"), (2, r#"[{"a":1}]"#)]));
        assert_eq!(add(3, r#"[{"a":1} , {"b":2}]"#), rows([(1, r#"[{"b":2}]"#)]));
        assert_eq!(add(4, r#"[{"a":1} , {"b":2}]"#), []);
        assert_eq!(add(5, r#"[{"a":1},{"b":2} ]"#), rows([(1, r#"[{"b":2}]"#)]), "spelt otherwise");
        assert_eq!(add(6, r#"[{"a":1} , {"b":2},{"c":"sk-abcdefghij0123456789"}]"#), {
            rows([(3, r#"[{"c":"***********************"}]"#)])
        });
        assert_eq!(add(7, r#"[{"x":1}]"#), rows([(2, r#"[{"x":1}]"#)]), "another one");
        assert_eq!(add(8, "[12]"), rows([(2, "[12]")]));
        assert_eq!(add(9, "[123]"), rows([(2, "[123]")]), "a number that goes on");
        assert_eq!(add(10, "[]"), rows([(2, "[]")]), "none are not the same as no list");
        assert_eq!(add(11, "[]"), []);
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
            assert_eq!(add(list), rows([(8, list)]));
        }
    }

    #[test]
    fn tools_that_no_value_is_read_from_are_left_out() {
        let tools: Arc<str> = r#"[{"$serde_json::private::Number":"x","u":"a:\/\/b:c@d"}]"#.into();
        let rows_of = added(&mut Requests::default(), 1, &tools, "[1]");
        assert_eq!(rows_of, rows([(0, ""), (2, "[1]")]));
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
        assert_eq!(added(&mut requests, 5, &tools, &other), rows([(4, "[3, 5, 6]")]));
    }

    #[test]
    fn what_goes_is_forgotten_and_nothing_else() {
        let (mut requests, tools): (_, Arc<str>) = (Requests::default(), "[0]".into());
        let other: Arc<str> = "[9]".into();
        assert_eq!(added(&mut requests, 1, &tools, "[1]").len(), 2);
        assert_eq!(added(&mut requests, 3, &tools, "[2]").len(), 1);
        assert_eq!(added(&mut requests, 4, &other, "[3]").len(), 2);
        requests.forget(&[1, 70]);
        assert_eq!(added(&mut requests, 6, &tools, "[2,3]"), rows([(3, "[3]")]), "goes on");
        assert_eq!(added(&mut requests, 7, &tools, "[1]"), rows([(2, "[1]")]), "went");
        requests.forget(&[5]);
        assert_eq!(added(&mut requests, 8, &other, "[3]"), rows([(0, "[9]"), (9, "[3]")]));
        assert_eq!(added(&mut requests, 10, &tools, "[1]"), []);
        requests.forget(&[2, 3, 6, 7, 8, 9]);
        assert_eq!(requests.bytes, 0);
    }

    /// How many bytes are remembered, counted anew.
    fn counted(requests: &Requests) -> usize {
        let lists: usize = requests.lists.iter().map(|list| list.text.len()).sum();
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

    /// Numbers that look random and are the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % count
        }

        fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
            from[self.below(from.len())]
        }

        /// A list that goes on from a known one, or from a start of it, or stands alone; now and then what
        /// is none.
        fn text(&mut self, known: &[String]) -> String {
            const MESSAGES: &str =
                r#"1 12 123 1e5 -0 true null [] [1] {"a":[1,2]} "" "é" "è]" "a,\"]" "\u00e9""#;
            const ODD: &str = r#"[] "text" "text]" 12 {} [1 [1,] [1]] [,1] ["\ud83d"]"#;
            let messages: Vec<&str> = MESSAGES.split(' ').collect();
            if self.below(12) == 0 {
                let space = self.pick(&["", " "]);
                return [space, self.pick(&ODD.split(' ').collect::<Vec<_>>())].concat();
            }
            let mut list = match self.below(4) {
                0 => String::new(),
                _ => known.get(self.below(known.len() + 1)).cloned().unwrap_or_default(),
            };
            list.truncate(list.trim_end_matches([']', ' ']).len());
            if self.below(3) == 0 {
                let at = self.below(list.len() + 1);
                let mut commas = list.match_indices(',').map(|(comma, _)| comma);
                let comma = commas.rfind(|comma| *comma <= at);
                list.truncate(comma.unwrap_or(0));
            }
            for _ in 0..self.below(4) {
                list.push_str(if list.is_empty() { "[" } else { self.pick(&[",", ", ", " ,"]) });
                match self.below(4) {
                    0 => list.extend(["\"", &self.pick(&["x", "é", "xé"]).repeat(1500), "\""]),
                    _ => list.push_str(self.pick(&messages)),
                }
            }
            list.push_str(if list.is_empty() { "[" } else { "" });
            list + self.pick(&["]", "]", " ]", "] "])
        }
    }

    /// What a database would have.
    #[derive(Default)]
    struct Model {
        rows: BTreeMap<i64, (i64, Option<String>)>,
        /// Turns that are kept, and what they were asked with.
        texts: Vec<(i64, String)>,
    }

    impl Model {
        /// The parts that lead to a row.
        fn chain(&self, last: i64) -> Vec<String> {
            let row = |id: &i64| self.rows.get(id).map(|(before, _)| *before);
            let ids = std::iter::successors(Some(last), |id| row(id).filter(|before| *before > 0));
            let mut chain: Vec<String> = ids.filter_map(|id| self.rows[&id].1.clone()).collect();
            chain.reverse();
            chain
        }

        /// Removes a text and all that nothing names any more; gives the rows.
        fn remove(&mut self, at: usize) -> Vec<i64> {
            let (mut row, _) = self.texts.swap_remove(at);
            let mut gone = Vec::new();
            while row > 0
                && !self.texts.iter().any(|text| text.0 == row)
                && !self.rows.values().any(|(before, _)| *before == row)
            {
                gone.push(row);
                row = self.rows.remove(&row).unwrap().0;
            }
            gone
        }

        fn check(&self, requests: &Requests) {
            for (id, text) in &self.texts {
                let whole = Texts::whole(r#"{"in":{}}"#, ("", 0), &self.chain(*id)).unwrap();
                let put = serde_json::from_str::<Value>(text).ok();
                assert_eq!(whole["in"].get("messages"), put.as_ref(), "{text}");
            }
            assert_eq!(requests.bytes, counted(requests));
            let lists: Vec<_> = requests.lists.iter().collect();
            let open = |list: &List| list.text.strip_suffix(']').unwrap_or(&list.text).to_owned();
            let key = |list: &List| (list.root, open(list));
            assert!(lists.is_sorted_by(|one, next| key(one) < key(next)), "{lists:?}");
            for part in lists.iter().flat_map(|list| &list.parts) {
                assert!(self.rows.contains_key(&part.id), "{part:?}");
            }
        }
    }

    /// Whatever comes, goes and is forgotten, the parts of each list lead to all of it.
    #[test]
    fn what_is_read_is_what_was_put() {
        let tools: [Arc<str>; 3] = ["[7]".into(), "[7]".into(), "[8]".into()];
        for seed in 0..20 {
            let (mut requests, mut model) = (Requests::default(), Model::default());
            let (mut dice, mut next, mut known) = (Dice(seed), 1, Vec::new());
            for _ in 0..100 {
                let text = dice.text(&known);
                let (rows, asked) = put(&mut requests, next, &tools[dice.below(3)], &text);
                let turn = (next, (asked.before.unwrap_or(0), asked.part));
                model.texts.push((next, text.clone()));
                next += 1 + i64::try_from(rows.len()).unwrap();
                let rows = rows.into_iter().map(|(id, before, part)| (id, (before, Some(part))));
                model.rows.extend(rows.chain([turn]));
                known.extend(serde_json::from_str::<Value>(&text).is_ok().then_some(text));
                match dice.below(40) {
                    0 => requests.drop_list(),
                    1 => requests.drop_tools(),
                    at if at < 12 => requests.forget(&model.remove(dice.below(model.texts.len()))),
                    _ => {}
                }
                model.check(&requests);
            }
        }
    }
}
