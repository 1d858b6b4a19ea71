//! What holds for both engines: the same checks run on SQLite and, where the machine has one, on a
//! real PostgreSQL server.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]
#![expect(clippy::print_stderr, reason = "a test that is left out says so")]

#[path = "support/server.rs"]
mod server;
mod support;

use std::sync::Arc;
use std::thread;

use serde_json::Value;
use server::Server;
use support::{Folder, START_MS, call, captured, mended, turn};
use toolmend::StoreSettings;
use toolmend_store::{Fate, Filter, Place, Request, Store, Texts, TurnRecord};

/// A check, by name.
type Check = (&'static str, fn(&Place));

const SUITE: &[Check] = &[
    ("what_is_put_is_found", what_is_put_is_found),
    ("pages_follow_each_other", pages_follow_each_other),
    ("every_filter_leaves_what_it_says", every_filter_leaves_what_it_says),
    ("counts_add_up", counts_add_up),
    ("texts_are_redacted_and_kept", texts_are_redacted_and_kept),
    ("tools_are_kept_once", tools_are_kept_once),
    ("messages_are_kept_once", messages_are_kept_once),
    ("many_writers_lose_nothing", many_writers_lose_nothing),
    ("old_turns_go", old_turns_go),
    ("times_may_be_out_of_order", times_may_be_out_of_order),
    ("what_stays_is_shared_on", what_stays_is_shared_on),
    ("what_is_removed_is_gone", what_is_removed_is_gone),
    ("it_opens_again", it_opens_again),
    ("commits_are_told", commits_are_told),
    ("turns_without_calls_are_counted", turns_without_calls_are_counted),
    ("counts_follow_what_is_removed", counts_follow_what_is_removed),
];

fn open(place: &Place) -> Store {
    // The turns of these checks are old.
    Store::open(place, &StoreSettings { days_max: 100_000, ..StoreSettings::default() }).unwrap()
}

fn count(store: &Store, filter: &Filter) -> usize {
    store.read(|reader| reader.calls(filter, None, 10_000)).unwrap().rows.len()
}

#[test]
fn sqlite() {
    for (name, check) in SUITE {
        let folder = Folder::new();
        eprintln!("sqlite: {name}");
        check(&folder.place());
    }
}

#[test]
fn postgresql() {
    let server = match Server::start() {
        Ok(server) => server,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    for (name, check) in SUITE {
        eprintln!("postgresql: {name}");
        check(&Place::Server(server.database(name)));
    }
    who_writes_waits_for_who_removes(&server.database("who_removes"));
}

/// Who removes holds the others off and then takes away what texts name: a writer that named it already
/// would wait for one who waits for it.
fn who_writes_waits_for_who_removes(url: &str) {
    let store = open(&Place::Server(url.to_owned()));
    let tools: Arc<str> = "[]".into();
    let put = |messages: &str| {
        let request = Request { tools: Arc::clone(&tools), messages: Some(messages.into()) };
        let own = r#"{"in":{},"out":{}}"#.to_owned();
        let texts = Some(Texts { own, request: Some(request) });
        store.put(TurnRecord { texts, ..turn(1, vec![mended()]) });
    };
    put("[1]");
    store.flush();
    let mut remover = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let lock = i64::from_be_bytes(*b"toolmend");
    let begin =
        format!("BEGIN; SET LOCAL lock_timeout = 500; SELECT pg_advisory_xact_lock({lock})");
    remover.batch_execute(&begin).unwrap();
    put("[1,2]");
    let waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted";
    let mut other = postgres::Client::connect(url, postgres::NoTls).unwrap();
    while other.query_one(waiting, &[]).unwrap().get::<_, i64>(0) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    remover.batch_execute("DELETE FROM toolmend_texts").unwrap();
    remover.batch_execute("COMMIT").unwrap();
    store.flush();
    let texts = store.read(|reader| reader.texts(&Filter::default(), 0, 10)).unwrap();
    let lists: Vec<_> = texts.iter().map(|(_, texts)| texts["in"]["messages"].clone()).collect();
    assert_eq!((lists, store.stats().failed), (vec![serde_json::json!([1, 2])], 0));
}

#[test]
fn a_url_that_asks_for_tls_is_refused() {
    for mode in ["require", "verify-full"] {
        let place = Place::Server(format!("postgres://me@127.0.0.1:1/calls?sslmode={mode}"));
        let error = Store::open(&place, &StoreSettings::default()).unwrap_err().to_string();
        assert!(error.contains("TLS") || error.contains("sslmode"), "{error}");
    }
}

fn what_is_put_is_found(place: &Place) {
    let store = open(place);
    store.put(turn(1, vec![mended(), call(Fate::Untouched)]));
    store.flush();
    let page = store.read(|reader| reader.calls(&Filter::default(), None, 10)).unwrap();
    assert_eq!((page.rows.len(), page.next), (2, None));
    let row = page.rows.last().unwrap();
    assert_eq!((row.outcome.as_str(), row.model.as_str()), ("mended", "model-1"));
    assert_eq!(row.rules, ["string-to-integer"]);
    let detail = store.read(|reader| reader.call(row.id)).unwrap().unwrap();
    assert_eq!((detail.call, detail.index), (row.clone(), 0));
    assert_eq!(detail.repairs.first().map(|repair| repair.path.as_ref()), Some("/stops"));
    assert_eq!(detail.faults.first().map(|fault| (fault.start, fault.end)), Some((3, 4)));
    assert_eq!((detail.finish.as_deref(), detail.took_ms), (Some("stop"), 900));
    assert_eq!(detail.texts, None);
    assert_eq!(store.read(|reader| reader.call(row.id + 1000)).unwrap(), None);
}

fn pages_follow_each_other(place: &Place) {
    let store = open(place);
    for number in 0..25 {
        store.put(turn(number, vec![mended()]));
    }
    store.flush();
    let mut before = None;
    let mut seen = Vec::new();
    loop {
        let page = store.read(|reader| reader.calls(&Filter::default(), before, 10)).unwrap();
        seen.extend(page.rows.iter().map(|row| row.id));
        assert!(page.rows.iter().all(|row| row.rules.len() == 1));
        match page.next {
            Some(next) => before = Some(next),
            None => break,
        }
    }
    assert_eq!(seen.len(), 25);
    assert!(seen.is_sorted_by(|one, next| one > next));
    let newer = store.read(|reader| reader.newer(&Filter::default(), seen[10], 100)).unwrap();
    assert_eq!(newer.iter().map(|row| row.id).collect::<Vec<_>>(), {
        let mut later = seen[..10].to_vec();
        later.reverse();
        later
    });
}

fn every_filter_leaves_what_it_says(place: &Place) {
    let store = open(place);
    for number in 0..30 {
        let mut refused = call(Fate::Refused);
        refused.reason = Some("mismatch".into());
        refused.tool = Some("other".into());
        store.put(turn(number, vec![mended(), call(Fate::Untouched), refused]));
    }
    store.put(captured(31, vec![call(Fate::Untouched)]));
    store.flush();
    let text = |word: &str| Some(word.to_owned());
    let all = Filter::default();
    let filters = [
        (all.clone(), 91),
        (Filter { since_ms: Some(START_MS + 10_000), ..all.clone() }, 61),
        (Filter { until_ms: Some(START_MS + 10_000), ..all.clone() }, 30),
        (Filter { model: text("model-0"), ..all.clone() }, 30),
        (Filter { model: text("Model-*"), ..all.clone() }, 91),
        (Filter { model: text("*-0"), tool: text("*route"), ..all.clone() }, 20),
        (Filter { model: text("model"), ..all.clone() }, 0),
        (Filter { tool: text("other"), ..all.clone() }, 30),
        (Filter { fate: Some(Fate::Mended), ..all.clone() }, 30),
        (Filter { dialect: text("hermes_json"), ..all.clone() }, 30),
        (Filter { rule: text("string-to-integer"), ..all.clone() }, 30),
        (Filter { reason: text("mismatch"), ..all.clone() }, 30),
        (Filter { api: text("ollama"), ..all.clone() }, 0),
        (Filter { has_text: true, ..all.clone() }, 1),
        (
            Filter {
                since_ms: Some(START_MS),
                until_ms: Some(START_MS + 3000),
                model: text("model-1"),
                tool: text("find_route"),
                fate: Some(Fate::Mended),
                dialect: text("hermes_json"),
                rule: text("string-to-integer"),
                api: text("chat"),
                ..all.clone()
            },
            1,
        ),
    ];
    for (filter, wanted) in filters {
        assert_eq!(count(&store, &filter), wanted, "{filter:?}");
        let overview = store.read(|reader| reader.overview(&filter, 60_000)).unwrap();
        let total: i64 = overview.models.iter().map(|share| share.count).sum();
        assert_eq!(usize::try_from(total).unwrap(), wanted, "{filter:?}");
    }
}

fn counts_add_up(place: &Place) {
    let store = open(place);
    for number in 0..100 {
        let mut turn = turn(number, vec![mended(), call(Fate::Untouched)]);
        turn.is_broken = number == 7;
        turn.asks = i64::from(number < 10);
        turn.label = Some(if number < 6 { "re-prompt" } else { "gave-up" }.into());
        store.put(turn);
    }
    store.flush();
    let overview = store.read(|reader| reader.overview(&Filter::default(), 10_000)).unwrap();
    assert_eq!(overview.models.len(), 6);
    // The first minute starts in the middle of one.
    assert_eq!((overview.slices.len(), overview.slice_ms), (6, 60_000));
    assert_eq!(overview.slices.iter().map(|slice| slice.count).sum::<i64>(), 200);
    assert_eq!(overview.rules.first().map(|rule| rule.count), Some(100));
    assert_eq!(overview.dialects.first().map(|dialect| dialect.name.as_str()), Some("hermes_json"));
    assert_eq!((overview.turns, overview.broken), (100, 1));
    assert_eq!((overview.asks, overview.asked, overview.helped), (10, 10, 6));
    assert_eq!((overview.spent_us_half, overview.spent_us_most), (56, 112));
}

fn texts_are_redacted_and_kept(place: &Place) {
    let settings = StoreSettings {
        days_max: 100_000,
        redact: vec!["secret-[a-z]+".to_owned()],
        ..StoreSettings::default()
    };
    let store = Store::open(place, &settings).unwrap();
    let mut turn = captured(1, vec![mended()]);
    turn.model = "a secret-name".into();
    store.put(turn);
    store.flush();
    let texts = store.read(|reader| reader.texts(&Filter::default(), 0, 10)).unwrap();
    let (_, texts) = texts.first().unwrap();
    assert_eq!(texts["in"]["content"], "hello ***********************");
    let page = store.read(|reader| reader.calls(&Filter::default(), None, 1)).unwrap();
    assert_eq!(page.rows[0].model, "a ***********");
    assert!(page.rows[0].has_text);
}

/// Turns that share their tools share them in the store; each is shown with its own.
fn tools_are_kept_once(place: &Place) {
    let store = open(place);
    let list = |name: &str| -> Arc<str> { format!(r#"[{{"name": "{name}"}}]"#).into() };
    let (one, other) = (list("one"), list("sk-abcdefghij0123456789"));
    let put = |number: i64, tools: &Arc<str>| {
        let tools = Arc::clone(tools);
        let own = format!(r#"{{"in":{{"id":{number},"model":"m","content":"x"}},"out":{{}}}}"#);
        let texts = Some(Texts { own, request: Some(Request { tools, messages: None }) });
        store.put(TurnRecord { texts, ..turn(number, vec![mended()]) });
    };
    for number in 0..6 {
        put(number, if number % 3 == 2 { &other } else { &one });
        if number == 3 {
            store.flush();
        }
    }
    store.flush();
    let tools = || -> Vec<String> {
        let texts = store.read(|reader| reader.texts(&Filter::default(), 0, 10)).unwrap();
        let name = |texts: &Value| texts["in"]["tools"][0]["name"].as_str().unwrap().to_owned();
        texts.iter().map(|(_, texts)| name(texts)).collect()
    };
    let blank = "***********************";
    assert_eq!(tools(), ["one", "one", blank, "one", "one", blank]);
    let texts = store.read(|reader| reader.texts(&Filter::default(), 0, 1)).unwrap();
    let keys: Vec<&String> = texts[0].1["in"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "model", "tools", "content"]);
    // Whoever has them in mind while they go gets them anew.
    let filter = Filter { model: Some("model-2".to_owned()), ..Filter::default() };
    assert_eq!(store.read(|reader| reader.remove(&filter)).unwrap(), 2);
    assert_eq!(tools(), ["one"; 4]);
    put(8, &other);
    store.flush();
    assert_eq!(tools(), ["one", "one", "one", "one", blank]);
    assert_eq!(store.stats().failed, 0);
}

/// The turns of a conversation share their messages in the store; each is shown with its own, whatever
/// goes of the others.
fn messages_are_kept_once(place: &Place) {
    let store = open(place);
    let tools: Arc<str> = r#"[{"name": "one"}]"#.into();
    let message = |talk: &str, at: usize| format!(r#"{{"talk": "{talk}", "at": {at}}}"#);
    let list = |talk: &str, count: usize| -> String {
        format!("[{}]", (0..count).map(|at| message(talk, at)).collect::<Vec<_>>().join(", "))
    };
    let put = |number: i64, messages: &str| {
        let request = Request { tools: Arc::clone(&tools), messages: Some(messages.into()) };
        let own = format!(r#"{{"in":{{"id":{number},"model":"m","content":"x"}},"out":{{}}}}"#);
        let texts = Some(Texts { own, request: Some(request) });
        store.put(TurnRecord { texts, ..turn(number, vec![mended()]) });
    };
    let lists = [
        list("a", 1),
        list("b", 2),
        list("a", 3),
        list("a", 3),
        list("b", 4),
        list("a", 5),
        r#""alone""#.to_owned(),
        r#"[{"talk": "sk-abcdefghij0123456789"}]"#.to_owned(),
        "[".to_owned(),
        "[]".to_owned(),
    ];
    for (number, messages) in (0..).zip(&lists) {
        put(number, messages);
        if number % 2 == 0 {
            store.flush();
        }
    }
    store.flush();
    let shown = || -> Vec<(i64, Value)> {
        let texts = store.read(|reader| reader.texts(&Filter::default(), 0, 100)).unwrap();
        texts.into_iter().map(|(turn, texts)| (turn, texts["in"]["messages"].clone())).collect()
    };
    let mut wanted: Vec<Value> =
        lists.iter().map(|list| serde_json::from_str(list).unwrap_or_default()).collect();
    wanted[7] = serde_json::json!([{"talk": "***********************"}]);
    let all = shown();
    assert_eq!(all.iter().map(|(_, list)| list.clone()).collect::<Vec<_>>(), wanted);
    // What goes takes nothing along that another one needs, and the store goes on.
    for gone in [5, 0, 7, 2] {
        assert!(store.read(|reader| reader.remove_turn(all[gone].0)).unwrap());
        wanted[gone] = Value::Null;
        put(20, &list("a", 6));
        store.flush();
        let left = shown();
        for ((turn, _), list) in all.iter().zip(&wanted).filter(|(_, list)| !list.is_null()) {
            assert!(left.contains(&(*turn, list.clone())), "{turn} without {gone}");
        }
        assert_eq!(left.last().unwrap().1, serde_json::from_str::<Value>(&list("a", 6)).unwrap());
    }
    assert_eq!(store.stats().failed, 0);
    let everything = store.read(|reader| reader.remove(&Filter::default())).unwrap();
    assert_eq!((everything, shown()), (10, Vec::new()));
}

fn many_writers_lose_nothing(place: &Place) {
    let store = Arc::new(open(place));
    let other = Arc::new(open(place));
    let writers: Vec<_> = (0..8)
        .map(|number| {
            let store = Arc::clone(if number % 2 == 0 { &store } else { &other });
            thread::spawn(move || {
                for at in 0..100 {
                    store.put(turn(number * 100 + at, vec![mended()]));
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    store.flush();
    other.flush();
    assert_eq!(store.stats().written + other.stats().written, 800);
    assert_eq!(count(&store, &Filter::default()), 800);
}

/// Old turns go all the time in a store that has its age: those that go on share what they have.
fn what_stays_is_shared_on(place: &Place) {
    let store = Store::open(place, &StoreSettings { days_max: 1, ..StoreSettings::default() });
    let store = store.unwrap();
    let tools: Arc<str> = "[]".into();
    let put = |at_ms: i64, messages: &str| {
        let request = Request { tools: Arc::clone(&tools), messages: Some(messages.into()) };
        let own = r#"{"in":{},"out":{}}"#.to_owned();
        let texts = Some(Texts { own, request: Some(request) });
        store.put(TurnRecord { at_ms, texts, ..turn(1, vec![mended()]) });
    };
    let now = 4_000_000_000_000;
    put(now, "[1]");
    // The first commit is followed by a look at what is old.
    put(START_MS, "[2]");
    store.flush();
    assert_eq!(store.stats().pruned, 1);
    put(now, "[1,3]");
    put(now, "[2,3]");
    store.flush();
    let texts = store.read(|reader| reader.texts(&Filter::default(), 0, 10)).unwrap();
    let lists: Vec<String> =
        texts.iter().map(|(_, texts)| texts["in"]["messages"].to_string()).collect();
    assert_eq!(lists, ["[1]", "[1,3]", "[2,3]"]);
    assert_eq!(store.stats().failed, 0);
}

fn old_turns_go(place: &Place) {
    let store = Store::open(place, &StoreSettings { days_max: 1, ..StoreSettings::default() });
    let store = store.unwrap();
    store.put(turn(1, vec![mended()]));
    let mut now = turn(2, vec![mended()]);
    now.at_ms = 4_000_000_000_000;
    store.put(now);
    store.flush();
    assert_eq!(count(&store, &Filter::default()), 1);
    assert_eq!(store.stats().pruned, 1);
}

/// Clocks are set back, and those of several writers differ. Turns are written some at a time, so that
/// minutes go on.
fn times_may_be_out_of_order(place: &Place) {
    let store = open(place);
    let seconds = [600, 30, 601, 59, 60, 0, 3600, 599, 61, 31];
    for some in seconds.chunks(3) {
        for second in some {
            store.put(turn(*second, vec![mended()]));
        }
        store.flush();
    }
    let ends = [0, 1, 30, 31, 45, 60, 61, 599, 601, 602, 3600, 3601, 9000];
    for (since, until) in ends.iter().flat_map(|since| ends.iter().map(move |end| (*since, *end))) {
        let at = |second: i64| Some(START_MS + second * 1000);
        let filter = Filter { since_ms: at(since), until_ms: at(until), ..Filter::default() };
        let meant = seconds.iter().filter(|own| (since..until).contains(*own)).count();
        assert_eq!(count(&store, &filter), meant, "{since}..{until}");
        let told = store.read(|reader| reader.overview(&filter, 60)).unwrap();
        let told: i64 = told.slices.iter().map(|slice| slice.count).sum();
        assert_eq!(usize::try_from(told).unwrap(), meant, "{since}..{until}");
    }
    let filter = Filter { until_ms: Some(START_MS + 60_000), ..Filter::default() };
    assert_eq!(store.read(|reader| reader.remove(&filter)).unwrap(), 4);
    assert_eq!(count(&store, &filter), 0);
    assert_eq!(count(&store, &Filter::default()), 6);
}

fn what_is_removed_is_gone(place: &Place) {
    let store = open(place);
    for number in 0..10 {
        store.put(captured(number, vec![mended()]));
    }
    store.flush();
    let filter = Filter { model: Some("model-0".to_owned()), ..Filter::default() };
    assert_eq!(store.read(|reader| reader.remove(&filter)).unwrap(), 4);
    assert_eq!(count(&store, &Filter::default()), 6);
    assert_eq!(store.read(|reader| reader.texts(&Filter::default(), 0, 100)).unwrap().len(), 6);
    let page = store.read(|reader| reader.calls(&Filter::default(), None, 1)).unwrap();
    assert!(store.read(|reader| reader.remove_turn(page.rows[0].turn)).unwrap());
    assert_eq!(count(&store, &Filter::default()), 5);
}

fn it_opens_again(place: &Place) {
    drop(open(place));
    let store = open(place);
    store.put(turn(1, vec![mended()]));
    drop(store);
    assert_eq!(count(&open(place), &Filter::default()), 1, "closing writes what waits");
}

fn commits_are_told(place: &Place) {
    let store = open(place);
    let (told, heard) = std::sync::mpsc::channel();
    store.on_commit(move |committed| {
        for turn in committed {
            told.send(turn.clone()).unwrap();
        }
    });
    store.put(turn(1, vec![mended(), mended()]));
    store.flush();
    let turn = heard.try_recv().unwrap();
    assert_eq!(turn.calls, turn.turn..turn.turn + 2);
    let detail = store.read(|reader| reader.call(turn.turn + 1)).unwrap().unwrap();
    assert_eq!((detail.call.turn, detail.index), (turn.turn, 1));
}

fn turns_without_calls_are_counted(place: &Place) {
    let store = open(place);
    for number in 0..20 {
        store.put(turn(number, if number < 5 { vec![mended()] } else { Vec::new() }));
    }
    store.flush();
    let overview = store.read(|reader| reader.overview(&Filter::default(), 60_000)).unwrap();
    assert_eq!((overview.turns, store.stats().written), (20, 20));
    let other = Filter { model: Some("model-0".to_owned()), ..Filter::default() };
    let overview = store.read(|reader| reader.overview(&other, 60_000)).unwrap();
    assert_eq!(overview.turns, 7);
}

/// Counts are what the rows would tell, in every slice, for every time, after rows went.
fn counts_follow_what_is_removed(place: &Place) {
    let store = open(place);
    for number in 0..200 {
        let mut spread = turn(number, vec![mended(), call(Fate::Untouched)]);
        spread.at_ms = START_MS + number * 997_331;
        store.put(spread);
    }
    store.flush();
    let check = |what: &str| {
        for slice_ms in [60_000, 1_800_000, 43_200_000, 200_000_000] {
            for (since, until) in
                [(None, None), (Some(7), None), (Some(31), Some(150)), (None, Some(3))]
            {
                let at = |number: Option<i64>| number.map(|number| START_MS + number * 997_331);
                let filter =
                    Filter { since_ms: at(since), until_ms: at(until), ..Filter::default() };
                let overview = store.read(|reader| reader.overview(&filter, slice_ms)).unwrap();
                let sum: i64 = overview.slices.iter().map(|slice| slice.count).sum();
                let rows = i64::try_from(count(&store, &filter)).unwrap();
                assert_eq!(sum, rows, "{what}: {filter:?} in slices of {slice_ms}");
                let repaired: i64 = overview.rules.iter().map(|rule| rule.count).sum();
                assert_eq!(repaired * 2, rows, "{what}: {filter:?}");
            }
        }
    };
    check("all");
    let filter = Filter { model: Some("model-1".to_owned()), ..Filter::default() };
    assert_eq!(store.read(|reader| reader.remove(&filter)).unwrap(), 67);
    check("without a model");
    let overview = store.read(|reader| reader.overview(&Filter::default(), 60_000)).unwrap();
    assert_eq!(overview.turns, 133);
    assert!(store.read(|reader| reader.overview(&filter, 60_000)).unwrap().models.is_empty());
}
