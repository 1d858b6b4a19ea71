//! What holds for a file: the end of the process, a full disk, a full queue, limits, other versions.

#![expect(clippy::unwrap_used, reason = "a test may stop where it fails")]
#![expect(clippy::print_stdout, reason = "the child tells what was acknowledged")]

mod support;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use serde_json::json;
use support::{Folder, captured, mended, turn};
use toolmend::StoreSettings;
use toolmend_store::{Filter, Place, Request, Store, Texts, TurnRecord};

/// The variable that makes this program the child of the test below.
const CHILD: &str = "TOOLMEND_STORE_CHILD";

fn settings() -> StoreSettings {
    StoreSettings { days_max: 100_000, ..StoreSettings::default() }
}

fn count(store: &Store) -> usize {
    store.read(|reader| reader.calls(&Filter::default(), None, 1_000_000)).unwrap().rows.len()
}

#[test]
fn what_was_acknowledged_survives_a_kill() {
    if let Some(path) = std::env::var_os(CHILD) {
        return write_until_killed(&Place::File(path.into()));
    }
    let folder = Folder::new();
    for round in 0..3 {
        let path = folder.0.join(format!("{round}.db"));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["what_was_acknowledged_survives_a_kill", "--exact", "--nocapture"])
            .env(CHILD, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acknowledged = 0;
        while acknowledged < 200 + round * 37 {
            let line = lines.next().unwrap().unwrap();
            acknowledged = line.strip_prefix("done ").map_or(acknowledged, |n| n.parse().unwrap());
        }
        // SIGKILL: nothing of the child runs after this.
        child.kill().unwrap();
        child.wait().unwrap();
        let store = Store::open(&Place::File(path), &settings()).unwrap();
        assert!(count(&store) >= acknowledged, "{} of {acknowledged}", count(&store));
    }
}

fn write_until_killed(place: &Place) {
    let store = Store::open(place, &settings()).unwrap();
    for number in 1.. {
        store.put(turn(number, vec![mended()]));
        store.flush();
        println!("done {number}");
        std::io::stdout().flush().unwrap();
    }
}

#[test]
fn a_full_disk_is_counted_and_nothing_stops() {
    let folder = Folder::new();
    // The smallest file that the engine allows is too small for this turn, whatever goes.
    let small = StoreSettings { bytes_max: 1, ..settings() };
    let store = Store::open(&folder.place(), &small).unwrap();
    let mut large = captured(1, vec![mended()]);
    large.texts = Some(serde_json::json!("x".repeat(2 << 20)).into());
    store.put(large);
    store.put(turn(2, vec![mended()]));
    store.flush();
    assert!(store.stats().failed >= 1, "{:?}", store.stats());
    // What fits is still taken.
    store.put(turn(3, vec![mended()]));
    store.flush();
    assert!(store.stats().written >= 1, "{:?}", store.stats());
}

#[test]
fn a_store_keeps_to_its_size() {
    let folder = Folder::new();
    let limit = StoreSettings { bytes_max: 4 << 20, ..settings() };
    let store = Store::open(&folder.place(), &limit).unwrap();
    for number in 0..20_000 {
        store.put(TurnRecord {
            texts: Some(serde_json::json!("y".repeat(1000)).into()),
            ..turn(number, vec![mended()])
        });
        if number % 1000 == 0 {
            store.flush();
        }
    }
    store.flush();
    assert!(store.stats().pruned > 0, "{:?}", store.stats());
    assert_eq!(store.stats().failed, 0);
    let latest = store.read(|reader| reader.calls(&Filter::default(), None, 1)).unwrap();
    assert_eq!(latest.rows[0].at_ms, turn(19_999, Vec::new()).at_ms, "the latest stay");
    drop(store);
    let size = std::fs::metadata(folder.0.join("calls.db")).unwrap().len();
    assert!(size <= (4 << 20) * 5 / 4, "{size}");
}

#[test]
fn a_full_queue_drops_and_counts() {
    let folder = Folder::new();
    let narrow = StoreSettings { queue_max: 4, ..settings() };
    let store = Store::open(&folder.place(), &narrow).unwrap();
    for number in 0..5000 {
        store.put(captured(number, vec![mended(); 20]));
    }
    store.flush();
    let stats = store.stats();
    assert!(stats.dropped > 0, "{stats:?}");
    assert_eq!(stats.written + stats.dropped, 5000, "{stats:?}");
}

#[test]
fn a_newer_store_is_left_alone() {
    let folder = Folder::new();
    drop(Store::open(&folder.place(), &settings()).unwrap());
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    connection.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(connection);
    let error = Store::open(&folder.place(), &settings()).unwrap_err();
    assert!(error.to_string().contains("newer"), "{error}");
}

/// The tables of the first version, with two turns in them.
const OLD: &str = "
CREATE TABLE toolmend_turns (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at BIGINT NOT NULL, model TEXT NOT NULL, api TEXT NOT NULL,
  finish TEXT, is_broken BIGINT NOT NULL, took_ms BIGINT NOT NULL, spent_us BIGINT NOT NULL,
  asks BIGINT NOT NULL, label TEXT, bytes BIGINT NOT NULL);
CREATE TABLE toolmend_calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT, turn BIGINT NOT NULL, at BIGINT NOT NULL, model TEXT NOT NULL,
  api TEXT NOT NULL, tool TEXT, outcome TEXT NOT NULL, reason TEXT, channel TEXT NOT NULL,
  dialect TEXT, is_lossy BIGINT NOT NULL, has_text BIGINT NOT NULL, faults TEXT);
CREATE TABLE toolmend_repairs (
  call BIGINT NOT NULL, turn BIGINT NOT NULL, at BIGINT NOT NULL, model TEXT NOT NULL,
  rule TEXT NOT NULL, path TEXT NOT NULL, trust TEXT NOT NULL);
CREATE TABLE toolmend_texts (turn BIGINT PRIMARY KEY, body TEXT NOT NULL);
CREATE INDEX toolmend_turns_at ON toolmend_turns (at);
CREATE INDEX toolmend_calls_turn ON toolmend_calls (turn);
CREATE INDEX toolmend_calls_seen ON toolmend_calls (at, model, outcome);
CREATE INDEX toolmend_calls_outcome ON toolmend_calls (outcome, id);
CREATE INDEX toolmend_calls_model ON toolmend_calls (model, id);
CREATE INDEX toolmend_repairs_call ON toolmend_repairs (call);
CREATE INDEX toolmend_repairs_turn ON toolmend_repairs (turn);
CREATE INDEX toolmend_repairs_rule ON toolmend_repairs (rule, call);
CREATE INDEX toolmend_repairs_seen ON toolmend_repairs (at, rule);
INSERT INTO toolmend_turns VALUES
  (1, 1750000000000, 'old', 'chat', 'stop', 0, 9, 50, 1, 're-prompt', 9),
  (2, 1750000001000, 'old', 'chat', 'stop', 1, 9, 50, 0, NULL, 9);
INSERT INTO toolmend_calls VALUES
  (1, 1, 1750000000000, 'old', 'chat', 'bash', 'mended', NULL, 'content', 'hermes_json', 0, 0, NULL),
  (2, 2, 1750000001000, 'old', 'chat', NULL, 'refused', 'unknown-tool', 'content', NULL, 0, 0, NULL);
INSERT INTO toolmend_repairs VALUES
  (1, 1, 1750000000000, 'old', 'key-renamed', '/a', 'likely'),
  (1, 1, 1750000000000, 'old', 'key-renamed', '/b', 'likely');
PRAGMA user_version = 1;
";

/// What the second version made of the first one, with a turn of two calls, counted, with texts.
const COUNTED: &str = "
CREATE TABLE toolmend_kinds (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL UNIQUE);
CREATE TABLE toolmend_counts (
  width BIGINT NOT NULL, at BIGINT NOT NULL, kind BIGINT NOT NULL REFERENCES toolmend_kinds (id),
  count BIGINT NOT NULL, PRIMARY KEY (width, at, kind)) WITHOUT ROWID;
DELETE FROM toolmend_turns; DELETE FROM toolmend_calls; DELETE FROM toolmend_repairs;
ALTER TABLE toolmend_turns ADD COLUMN kind BIGINT NOT NULL DEFAULT 0;
ALTER TABLE toolmend_calls ADD COLUMN kind BIGINT NOT NULL DEFAULT 0;
DROP INDEX toolmend_calls_seen; DROP INDEX toolmend_calls_outcome; DROP INDEX toolmend_calls_model;
DROP INDEX toolmend_repairs_rule; DROP INDEX toolmend_repairs_seen;
CREATE INDEX toolmend_calls_at ON toolmend_calls (at, kind);
CREATE INDEX toolmend_calls_kind ON toolmend_calls (kind, id);
INSERT INTO toolmend_kinds VALUES
  (1, '[\"turn\",\"old\",\"chat\",true,1,true,56]'),
  (2, '[\"call\",\"old\",\"chat\",\"bash\",\"mended\",null,\"hermes_json\",true,[\"key-renamed\"]]'),
  (3, '[\"call\",\"old\",\"chat\",null,\"refused\",\"unknown-tool\",null,true,[]]');
INSERT INTO toolmend_counts SELECT width, 1750000000000 / width * width, kind, 1 FROM
  (SELECT 60000 AS width UNION SELECT 1800000 UNION SELECT 43200000),
  (SELECT 1 AS kind UNION SELECT 2 UNION SELECT 3);
INSERT INTO toolmend_turns VALUES
  (4, 1750000000000, 'old', 'chat', 'stop', 1, 9, 50, 1, 're-prompt', 9, 1);
INSERT INTO toolmend_calls VALUES
  (7, 4, 1750000000000, 'old', 'chat', 'bash', 'mended', NULL, 'content', 'hermes_json', 1, 1,
   '[[\"trailing-comma\",3,4]]', 2),
  (8, 4, 1750000000000, 'old', 'chat', NULL, 'refused', 'unknown-tool', 'content', NULL, 0, 1, NULL, 3);
INSERT INTO toolmend_repairs VALUES
  (7, 4, 1750000000000, 'old', 'key-renamed', '/a', 'likely'),
  (7, 4, 1750000000000, 'old', 'key-renamed', '/b', 'likely');
INSERT INTO toolmend_texts VALUES (4, '{\"in\":{\"content\":\"hello\"},\"out\":{}}');
PRAGMA user_version = 2;
";

#[test]
fn a_store_of_the_second_version_keeps_all_it_has() {
    let folder = Folder::new();
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    connection.execute_batch(OLD).unwrap();
    connection.execute_batch(COUNTED).unwrap();
    drop(connection);
    let store = Store::open(&folder.place(), &settings()).unwrap();
    store.put(turn(3, vec![mended()]));
    store.flush();
    let ids = |filter: &Filter| -> Vec<i64> {
        let page = store.read(|reader| reader.calls(filter, None, 10)).unwrap();
        page.rows.iter().map(|row| row.id).collect()
    };
    assert_eq!(ids(&Filter::default()), [9, 8, 7], "calls keep their numbers");
    let detail = store.read(|reader| reader.call(7)).unwrap().unwrap();
    let call = &detail.call;
    assert_eq!((call.turn, detail.index, call.is_lossy, call.has_text), (7, 0, true, true));
    assert_eq!((call.tool.as_deref(), call.outcome.as_str()), (Some("bash"), "mended"));
    let paths: Vec<&str> = detail.repairs.iter().map(|repair| repair.path.as_ref()).collect();
    assert_eq!(paths, ["/a", "/b"]);
    assert_eq!(detail.faults.first().map(|fault| (fault.start, fault.end)), Some((3, 4)));
    assert_eq!((detail.is_broken, detail.asks, detail.took_ms), (true, 1, 9));
    assert_eq!(
        (detail.finish.as_deref(), detail.label.as_deref()),
        (Some("stop"), Some("re-prompt"))
    );
    assert_eq!(detail.texts.unwrap()["in"]["content"], "hello");
    assert_eq!(store.read(|reader| reader.call(8)).unwrap().unwrap().index, 1);
    let all = store.read(|reader| reader.overview(&Filter::default(), 60_000)).unwrap();
    assert_eq!((all.turns, all.broken, all.asked, all.helped), (2, 1, 1, 1));
    let refused = Filter { reason: Some("unknown-tool".to_owned()), ..Filter::default() };
    assert_eq!(ids(&refused), [8]);
    // What is removed is gone with its counts.
    assert!(store.read(|reader| reader.remove_turn(7)).unwrap());
    let all = store.read(|reader| reader.overview(&Filter::default(), 60_000)).unwrap();
    assert_eq!((all.turns, ids(&Filter::default())), (1, vec![9]));
}

/// What the third version made: tools beside the texts, messages in them.
const PACKED: &str = "
CREATE TABLE toolmend_kinds (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL UNIQUE);
CREATE TABLE toolmend_counts (
  width BIGINT NOT NULL, at BIGINT NOT NULL, kind BIGINT NOT NULL REFERENCES toolmend_kinds (id),
  count BIGINT NOT NULL, PRIMARY KEY (width, at, kind)) WITHOUT ROWID;
CREATE TABLE toolmend_numbers (next BIGINT NOT NULL);
CREATE TABLE toolmend_turns (
  id INTEGER PRIMARY KEY, at BIGINT NOT NULL, kind BIGINT NOT NULL, finish TEXT,
  took_ms BIGINT NOT NULL, spent_us BIGINT NOT NULL, label TEXT, bytes BIGINT NOT NULL);
CREATE TABLE toolmend_calls (
  id INTEGER PRIMARY KEY, turn BIGINT NOT NULL, at BIGINT NOT NULL, kind BIGINT NOT NULL,
  channel TEXT NOT NULL, is_lossy BIGINT NOT NULL, repairs TEXT, faults TEXT);
CREATE TABLE toolmend_tools (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE toolmend_texts (
  turn INTEGER PRIMARY KEY, tools BIGINT REFERENCES toolmend_tools (id), body TEXT NOT NULL);
CREATE INDEX toolmend_calls_at ON toolmend_calls (at, kind);
CREATE INDEX toolmend_calls_kind ON toolmend_calls (kind, id);
CREATE INDEX toolmend_texts_tools ON toolmend_texts (tools);
INSERT INTO toolmend_numbers VALUES (4);
INSERT INTO toolmend_kinds (word) VALUES ('[\"turn\",\"old\",\"chat\",false,0,false,56]'),
  ('[\"call\",\"old\",\"chat\",\"bash\",\"untouched\",null,null,true,[]]');
INSERT INTO toolmend_counts SELECT width, 1750000000000 / width * width, kind, 2 FROM
  (SELECT 60000 AS width UNION SELECT 1800000 UNION SELECT 43200000),
  (SELECT 1 AS kind UNION SELECT 2);
INSERT INTO toolmend_tools VALUES (1, '[{\"name\":\"bash\"}]');
INSERT INTO toolmend_turns VALUES (2, 1750000000000, 1, 'stop', 9, 50, NULL, 9),
  (3, 1750000000000, 1, 'stop', 9, 50, NULL, 9);
INSERT INTO toolmend_calls VALUES (2, 2, 1750000000000, 2, 'tool_calls', 0, NULL, NULL),
  (3, 3, 1750000000000, 2, 'tool_calls', 0, NULL, NULL);
INSERT INTO toolmend_texts VALUES
  (2, 1, '{\"in\":{\"id\":1,\"model\":\"m\",\"messages\":[\"hi\"]},\"out\":{}}'),
  (3, NULL, '{\"in\":{\"id\":2},\"out\":{}}');
PRAGMA user_version = 3;
";

#[test]
fn a_store_of_the_third_version_keeps_its_texts() {
    let folder = Folder::new();
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    connection.execute_batch(PACKED).unwrap();
    let store = Store::open(&folder.place(), &settings()).unwrap();
    let request = Request {
        tools: r#"[{"name":"new"}]"#.into(),
        messages: Some(r#"["hi", "there"]"#.into()),
    };
    let own = r#"{"in":{"id":3,"model":"m","content":"x"},"out":{}}"#.to_owned();
    let texts = Some(Texts { own, request: Some(request) });
    store.put(TurnRecord { texts, ..turn(3, vec![mended()]) });
    store.flush();
    let shown = |id: i64| store.read(|reader| reader.call(id)).unwrap().unwrap().texts.unwrap();
    let old = json!({"in": {"id": 1, "model": "m", "tools": [{"name": "bash"}], "messages": ["hi"]},
        "out": {}});
    assert_eq!((shown(2), shown(3)), (old, json!({"in": {"id": 2, "model": "old"}, "out": {}})));
    let kept = store.read(|reader| reader.call(2)).unwrap().unwrap();
    assert_eq!((kept.call.channel.as_str(), kept.finish.as_deref()), ("tool_calls", Some("stop")));
    let new = json!({"in": {"id": 3, "model": "m", "tools": [{"name": "new"}],
        "messages": ["hi", "there"], "content": "x"}, "out": {}});
    let latest = store.read(|reader| reader.calls(&Filter::default(), None, 1)).unwrap();
    let last = latest.rows[0].id;
    assert_eq!(shown(last), new);
    let rows = |table: &str| -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        connection.query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(rows("toolmend_texts"), 5, "two lists of tools, three turns");
    assert!(store.read(|reader| reader.remove_turn(2)).unwrap());
    assert_eq!(rows("toolmend_texts"), 3);
    assert_eq!(store.read(|reader| reader.remove(&Filter::default())).unwrap(), 2);
    assert_eq!((rows("toolmend_texts"), rows("toolmend_counts")), (0, 0));
}

/// What the fourth version made: parts of requests in a table of their own, turns that name them.
const PARTS: &str = "
DROP INDEX toolmend_texts_tools;
ALTER TABLE toolmend_tools RENAME TO toolmend_requests;
ALTER TABLE toolmend_requests ADD COLUMN before BIGINT REFERENCES toolmend_requests (id);
ALTER TABLE toolmend_requests ADD COLUMN bytes BIGINT;
ALTER TABLE toolmend_texts RENAME COLUMN tools TO request;
CREATE INDEX toolmend_texts_request ON toolmend_texts (request);
CREATE INDEX toolmend_requests_before ON toolmend_requests (before);
INSERT INTO toolmend_requests VALUES (4, '[\"one\"]', 1, 9), (5, '[\"two\"]', 4, 9);
INSERT INTO toolmend_turns VALUES (6, 1750000000000, 1, 'stop', 9, 50, NULL, 9),
  (7, 1750000000000, 1, 'stop', 9, 50, NULL, 9);
INSERT INTO toolmend_calls VALUES (6, 6, 1750000000000, 2, 'tool_calls', 0, NULL, NULL),
  (7, 7, 1750000000000, 2, 'tool_calls', 0, NULL, NULL);
INSERT INTO toolmend_texts VALUES (6, 4, '{\"in\":{},\"out\":{}}'), (7, 5, '{\"in\":{},\"out\":{}}');
UPDATE toolmend_numbers SET next = 8;
PRAGMA user_version = 4;
";

#[test]
fn a_store_of_the_fourth_version_keeps_its_requests() {
    let folder = Folder::new();
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    connection.execute_batch(PACKED).unwrap();
    connection.execute_batch(PARTS).unwrap();
    let store = Store::open(&folder.place(), &settings()).unwrap();
    let shown = |id: i64| store.read(|reader| reader.call(id)).unwrap().unwrap().texts.unwrap();
    let asked = |list: serde_json::Value| {
        json!({"in": {"id": "old-1750000000000", "model": "old", "tools": [{"name": "bash"}],
            "messages": list}, "out": {}})
    };
    assert_eq!((shown(6), shown(7)), (asked(json!(["one"])), asked(json!(["one", "two"]))));
    assert_eq!(shown(2)["in"]["tools"], json!([{"name": "bash"}]));
    store.put(TurnRecord { texts: Some(json!({"in": {}}).into()), ..turn(3, vec![mended()]) });
    store.flush();
    assert_eq!(store.stats().failed, 0);
    assert!(store.read(|reader| reader.remove_turn(6)).unwrap());
    assert_eq!(shown(7), asked(json!(["one", "two"])));
}

/// To bring a store to its new form takes room, also where it is as large as it may be.
#[test]
fn a_full_store_of_the_fourth_version_is_opened() {
    let folder = Folder::new();
    let path = folder.0.join("calls.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(PACKED).unwrap();
    connection.execute_batch(PARTS).unwrap();
    let fill = "WITH RECURSIVE number (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)
        INSERT INTO toolmend_requests SELECT n, '[\"' || hex(zeroblob(1000)) || '\"]', 1, 2004 FROM number;
        UPDATE toolmend_numbers SET next = 3000";
    connection.execute_batch(fill).unwrap();
    drop(connection);
    let bytes_max = std::fs::metadata(&path).unwrap().len() * 10 / 9;
    let settings = StoreSettings { bytes_max, ..StoreSettings::default() };
    let store = Store::open(&folder.place(), &settings).unwrap();
    let texts = store.read(|reader| reader.call(7)).unwrap().unwrap().texts.unwrap();
    assert_eq!(texts["in"]["messages"], json!(["one", "two"]));
}

/// What a later turn says again stays with it; all else of a turn that is removed goes.
#[test]
fn messages_go_with_the_last_turn_that_has_them() {
    let folder = Folder::new();
    let store = Store::open(&folder.place(), &settings()).unwrap();
    let tools: std::sync::Arc<str> = "[]".into();
    let put = |number: i64, messages: &str| {
        let request = Request { tools: tools.clone(), messages: Some(messages.into()) };
        let own = r#"{"in":{},"out":{}}"#.to_owned();
        let texts = Some(Texts { own, request: Some(request) });
        store.put(TurnRecord { texts, ..turn(number, vec![mended()]) });
        store.flush();
    };
    let long = format!("\"{}\"", "y".repeat(4000));
    for (number, list) in (0..).zip([
        format!("[{long}]"),
        format!("[{long}, \"secret one\"]"),
        format!("[{long}, \"secret two\"]"),
    ]) {
        put(number, &list);
    }
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    let bodies = || -> Vec<String> {
        let mut found = connection
            .prepare("SELECT part FROM toolmend_texts WHERE part IS NOT NULL ORDER BY id")
            .unwrap();
        let rows = found.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let list = |text: &str| format!("[{text}]");
    let (one, two) = (list("\"secret one\""), list("\"secret two\""));
    assert_eq!(bodies(), [&list(&long), "[]", &one, &two]);
    let own = || -> i64 {
        let sql = "SELECT COUNT(own) FROM toolmend_texts";
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let remove = |turn: i64| assert!(store.read(|reader| reader.remove_turn(turn)).unwrap());
    let turns = store.read(|reader| reader.calls(&Filter::default(), None, 10)).unwrap().rows;
    let turns: Vec<i64> = turns.iter().rev().map(|row| row.turn).collect();
    remove(turns[0]);
    assert_eq!((bodies(), own()), (vec![list(&long), "[]".to_owned(), one, two.clone()], 2));
    remove(turns[1]);
    assert_eq!((bodies(), own()), (vec![list(&long), "[]".to_owned(), two], 1));
    remove(turns[2]);
    assert_eq!(bodies(), Vec::<String>::new());
}

/// A store that has its age removes something each time it looks.
#[test]
fn a_conversation_goes_on_while_others_go() {
    let folder = Folder::new();
    let settings = StoreSettings { days_max: 1, ..StoreSettings::default() };
    let store = Store::open(&folder.place(), &settings).unwrap();
    let tools: std::sync::Arc<str> = "[0]".into();
    let put = |at_ms: i64, messages: &str| {
        let request = Request { tools: tools.clone(), messages: Some(messages.into()) };
        let own = r#"{"in":{},"out":{}}"#.to_owned();
        let texts = Some(Texts { own, request: Some(request) });
        store.put(TurnRecord { at_ms, texts, ..turn(0, vec![mended()]) });
    };
    let now = 4_000_000_000_000;
    put(now, "[1]");
    put(0, "[2]");
    store.flush();
    assert_eq!(store.stats().pruned, 1);
    put(now, "[1,3]");
    put(now, "[2,3]");
    store.flush();
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    let mut found = connection
        .prepare("SELECT part FROM toolmend_texts WHERE part IS NOT NULL ORDER BY id")
        .unwrap();
    let bodies = found.query_map([], |row| row.get(0)).unwrap();
    let bodies: Vec<String> = bodies.map(Result::unwrap).collect();
    assert_eq!(bodies, ["[1]", "[0]", "[3]", "[2,3]"]);
    assert_eq!(store.stats().failed, 0);
}

/// Proxies that write one file in turn share with what they wrote themselves, and with nothing that went.
#[test]
fn conversations_of_two_writers_go_on() {
    let folder = Folder::new();
    let stores = [(); 2].map(|()| Store::open(&folder.place(), &settings()).unwrap());
    let tools: std::sync::Arc<str> = "[0]".into();
    let put = |store: &Store, messages: &str| {
        let request = Request { tools: tools.clone(), messages: Some(messages.into()) };
        let own = r#"{"in":{},"out":{}}"#.to_owned();
        let texts = Some(Texts { own, request: Some(request) });
        store.put(TurnRecord { texts, ..turn(0, vec![mended()]) });
        store.flush();
        store.read(|reader| reader.calls(&Filter::default(), None, 1)).unwrap().rows[0].id
    };
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    let bodies = || -> Vec<String> {
        let sql = "SELECT part FROM toolmend_texts WHERE part IS NOT NULL ORDER BY id";
        let mut found = connection.prepare(sql).unwrap();
        let bodies = found.query_map([], |row| row.get(0)).unwrap();
        bodies.map(Result::unwrap).collect()
    };
    let [one, other] = &stores;
    let mut turns = Vec::new();
    for messages in ["[1]", "[1,2]", "[1,2,3]"] {
        turns.push(put(one, messages));
        put(other, &messages.replace('1', "9"));
    }
    assert_eq!(bodies(), ["[1]", "[0]", "[9]", "[0]", "[2]", "[2]", "[3]", "[3]"]);
    // What another one takes away is written again.
    assert!(other.read(|reader| reader.remove_turn(turns[2])).unwrap());
    let last = put(one, "[1,2,3,4]");
    let texts = one.read(|reader| reader.call(last)).unwrap().unwrap().texts.unwrap();
    assert_eq!(texts["in"]["messages"], json!([1, 2, 3, 4]));
    other.read(|reader| reader.remove(&Filter::default())).unwrap();
    assert_eq!(bodies(), Vec::<String>::new());
    let last = put(one, "[1,2,3,4,5]");
    assert_eq!(bodies(), ["[1,2,3,4,5]", "[0]"]);
    let texts = one.read(|reader| reader.call(last)).unwrap().unwrap().texts.unwrap();
    assert_eq!(texts["in"]["tools"], json!([0]));
    assert_eq!(texts["in"]["messages"], json!([1, 2, 3, 4, 5]));
    assert!(stores.iter().all(|store| store.stats().failed == 0));
}

#[test]
fn a_store_of_the_first_version_is_counted() {
    let folder = Folder::new();
    let connection = rusqlite::Connection::open(folder.0.join("calls.db")).unwrap();
    connection.execute_batch(OLD).unwrap();
    drop(connection);
    let store = Store::open(&folder.place(), &settings()).unwrap();
    store.put(turn(3, vec![mended()]));
    store.flush();
    let all = store.read(|reader| reader.overview(&Filter::default(), 60_000)).unwrap();
    assert_eq!((all.turns, all.broken, all.asked, all.helped), (3, 1, 1, 1));
    let rule = Filter { rule: Some("key-renamed".to_owned()), ..Filter::default() };
    let page = store.read(|reader| reader.calls(&rule, None, 10)).unwrap();
    assert_eq!(page.rows.iter().map(|row| row.id).collect::<Vec<_>>(), [1]);
    let told = store.read(|reader| reader.overview(&rule, 60_000)).unwrap();
    assert_eq!(told.rules.iter().map(|rule| rule.count).collect::<Vec<_>>(), [1]);
}

#[test]
#[cfg(unix)]
fn only_its_owner_reads_the_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let _store = Store::open(&folder.place(), &settings()).unwrap();
    let mode = std::fs::metadata(folder.0.join("calls.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}
