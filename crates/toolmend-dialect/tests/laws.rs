//! What holds for every text that is scanned. The seed is fixed, so that a run says the same twice;
//! the fuzz targets look further.

#[path = "../../toolmend-json/tests/support/laws.rs"]
mod laws;
#[path = "support/scan.rs"]
mod scan;
#[path = "support/soup.rs"]
mod soup;

use std::iter::repeat;

use laws::{config, found};
use proptest::collection::vec;
use proptest::prelude::{prop_assert_eq, proptest};
use scan::Seen;
use soup::soup;
use toolmend_dialect::{Event, Offered, Scanner, dialects};

fn offered() -> Offered {
    Offered::new([
        ("get_weather", vec!["city", "days"]),
        ("get_time", vec!["tz"]),
        ("brave_search", vec!["query"]),
    ])
}

proptest! {
    #![proptest_config(config(4096))]

    #[test]
    fn no_byte_is_lost_and_chunks_do_not_matter(
        text in soup(),
        sizes in vec(1..9_usize, 1..20),
    ) {
        let offered = offered();
        let whole = found(scan::scan([text.as_str()], &offered))?;
        for sizes in [sizes, vec![1]] {
            let pieces = scan::pieces(&text, sizes.iter().copied().cycle());
            found(scan::agree(&whole, &found(scan::scan(pieces, &offered))?))?;
        }
    }

    #[test]
    fn text_without_marks_and_names_is_text(words in vec("[a-z]{1,8}[ ,.!?\n]", 0..60)) {
        let text = words.concat();
        let events = found(scan::scan([text.as_str()], &offered()))?;
        let is_text = events.iter().all(|event| matches!(event, Seen::Text(_)));
        prop_assert_eq!(is_text, true, "{}", text);
    }
}

#[test]
fn the_example_of_each_row_is_one_call_of_its_dialect() {
    let offered = offered();
    for row in dialects() {
        let events = scan::scan([row.example], &offered).unwrap();
        let calls = events.iter().flat_map(|event| match event {
            Seen::Region { calls, .. } => calls.as_slice(),
            Seen::Text(_) => &[],
        });
        let told: Vec<&str> = calls.map(|call| call.dialect).collect();
        // Some models write what others do.
        let twins = dialects().filter(|twin| twin.example == row.example);
        assert!(twins.map(|twin| [twin.id]).any(|id| told == id), "{}: {events:#?}", row.id);
    }
}

/// Bounds count from the start of what they bound, and a half that more text may complete waits.
#[test]
fn what_was_told_holds_when_more_comes() {
    let offered = offered();
    let slashes = "/".repeat(90);
    let dashes = "-".repeat(80);
    let many = "-".repeat(600);
    for text in [
        format!("I call it:\n\n```python\nget_wea{slashes}.////e({{\"city\": \"Lima\",["),
        format!("\nget{slashes}.get_weather(city='Lima')"),
        format!("\nget{dashes}weather(city='Lima')"),
        format!("\n[get{dashes}weather(city='Lima')]"),
        format!("\nx{dashes} = get_weather(city='Lima')"),
        format!("<get{many}weather><city>Lima</city></get{many}weather>"),
        format!("\n{{\"get{many}weather\": {{\"city\": \"Lima\"}}}}"),
        format!("<|open|>call{}<|sep|>", " ".repeat(507)),
        format!("<get_weather{}><city>Lima</city></get_weather>", " ".repeat(512)),
        "\nx = y = get_weather(city='Lima')".to_owned(),
        "\nx = print (get_weather(city='Lima'))".to_owned(),
        "\nget_time[ARGS]{\"tz\": \"x\"}".to_owned(),
        "\nget_time(tz='x')\nget_time[ARGS]{\"tz\": \"x\"}".to_owned(),
        "\nget_time(tz='x')\ny = get_time(tz='z')".to_owned(),
        "\nget_time(tz='x'), y = get_time(tz='z')".to_owned(),
        "\nget_time(tz='x')\n[\"get_time(tz='z')\"]".to_owned(),
    ] {
        let whole = scan::scan([text.as_str()], &offered).unwrap();
        for size in [1, 2, 3, 7, 64, 65, 129] {
            let pieces = scan::scan(scan::pieces(&text, repeat(size)), &offered).unwrap();
            assert_eq!(scan::agree(&whole, &pieces), Ok(()), "{text:?} in {size}");
        }
    }
}

/// An answer that only begins like something is not held until it ends.
#[test]
fn what_cannot_be_a_call_goes_out_at_once() {
    for text in [
        r#"{"title": "Soup", "steps": ["Peel the"#,
        r#"{"name": "Soup", "steps": ["Peel the"#,
        r#"{"index": 1, "title": "Soup", "steps": ["Peel the"#,
        "[1, 2, 3",
        "[Soup](https://soup.example) is",
        "[x] Peel the",
        "<tool_call>\n[x] Peel the",
        "<div class=\"soup\">Peel the",
        "Soup(1) is",
    ] {
        let mut scanner = Scanner::new(&offered());
        let mut told = 0;
        let rest = " potatoes, then wait.";
        for piece in [text, rest] {
            scanner.push(piece, &mut |event| {
                if let Event::Text(text) = event {
                    told += text.len();
                }
            });
        }
        assert_eq!(told, text.len() + rest.len(), "{text}");
    }
}

#[test]
fn faults_stand_where_the_text_is_wrong() {
    for (text, wrong) in [
        (r#"<tool_call>{"name": "get_time", "arguments": {"tz": "x",}}</tool_call>"#, vec![","]),
        (r#"<tool_call>{"name": "get_time", "arguments": {"tz": "x"}}</tool_call>"#, vec![]),
        (
            r#"[TOOL_CALLS][{"name": "get_time", "arguments": {"tz": "x"}}, {"name": "get_time", "arguments": {"tz": 'y'}}]"#,
            vec!["'y'"],
        ),
        (r#"[TOOL_CALLS]get_time[ARGS]{"tz": 'x'}"#, vec!["'x'"]),
        (r#"<function=get_time>{"tz": 'x'}</function>"#, vec!["'x'"]),
        (r#"[get_time(tz="x", n= {"a": 'x'})]"#, vec!["'x'"]),
        (
            r#"<tool_call>{"name": "get_time", "arguments": "{\"tz\": 'x'}"}</tool_call>"#,
            vec![r#""{\"tz\": 'x'}""#],
        ),
    ] {
        let events = scan::scan([text], &offered()).unwrap();
        let [Seen::Region { text, calls, .. }] = events.as_slice() else { panic!("{events:?}") };
        let places = calls.iter().flat_map(|call| &call.faults).map(|(_, place)| place.clone());
        let told: Vec<&str> = places
            .map(|place| text.get(place.start as usize..place.end as usize).unwrap())
            .collect();
        assert_eq!(told, wrong, "{text}");
    }
}
