//! What holds for every text. The seed is fixed, so that a run says the same twice; the fuzz targets
//! look further.

#[path = "support/check.rs"]
mod check;
#[path = "support/generate.rs"]
mod generate;
#[path = "support/laws.rs"]
mod laws;
#[path = "support/within.rs"]
mod within;

use generate::{containers, damaged, scrap_soup, spelt, token_soup, values};
use laws::{config, found};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::Value;
use toolmend_json::{
    Document, Expected, Object, Options, Outcome, Plain, Trust, Want, is_valid, read, read_first,
};
use within::Slack;

/// Broken text of every kind.
fn broken() -> impl Strategy<Value = String> {
    prop_oneof![token_soup(), scrap_soup(), damaged()]
}

/// Text of every kind, right or broken.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![broken(), spelt(values()).prop_map(|(_, text)| text)]
}

/// What a caller may know beforehand.
fn options() -> impl Strategy<Value = Options> {
    let want = prop_oneof![Just(Want::Any), Just(Want::Object), Just(Want::Array),];
    (want, any::<bool>()).prop_map(|(want, names_keys)| {
        let keys: &[&str] = if names_keys { &["a", "path"] } else { &[] };
        let expected = Expected::root(want).with_keys(keys.iter().copied());
        Options { expected, ..Options::default() }
    })
}

proptest! {
    #![proptest_config(config(8192))]

    #[test]
    fn valid_text_is_read_as_serde_reads_it_and_keeps_its_bytes((value, text) in spelt(values())) {
        let document = read(&text, &Options::default());
        prop_assert_eq!(document.outcome(), Outcome::Untouched);
        let json = document.to_json().unwrap_or_default();
        prop_assert_eq!(&json, text.as_str());
        prop_assert!(document.faults().is_empty());
        prop_assert_eq!(document.value().map(|node| node.to_value()), Some(value.clone()));
        let compact = document.value().map(|node| node.to_json()).unwrap_or_default();
        prop_assert_eq!(serde_json::from_str::<Value>(&compact).ok(), Some(value));
    }

    #[test]
    fn compact_valid_text_is_written_byte_for_byte(value in values()) {
        let text = value.to_string();
        let document = read(&text, &Options::default());
        prop_assert_eq!(document.value().map(|node| node.to_json()), Some(text.clone()));
    }

    #[test]
    fn only_what_serde_accepts_is_untouched(text in texts()) {
        let parsed = serde_json::from_str::<Value>(&text);
        prop_assert_eq!(is_valid(&text), parsed.is_ok());
        let document = read(&text, &Options::default());
        prop_assert_eq!(document.outcome() == Outcome::Untouched, parsed.is_ok());
        if let Ok(value) = parsed {
            prop_assert_eq!(document.value().map(|node| node.to_value()), Some(value));
        }
    }

    #[test]
    fn every_value_that_is_given_is_valid_json(text in broken(), options in options()) {
        for node in read(&text, &options).values() {
            prop_assert_eq!(serde_json::from_str::<Value>(&node.to_json()).ok(), Some(node.to_value()));
        }
    }

    #[test]
    fn chunks_do_not_matter(
        text in texts(),
        options in options(),
        sizes in vec(1..9_usize, 1..20),
    ) {
        let whole = read(&text, &options);
        let mut rest = text.as_bytes();
        let pieces = sizes.iter().cycle().map_while(|&size| {
            let (piece, after) = rest.split_at(size.min(rest.len()));
            rest = after;
            (!piece.is_empty()).then_some(piece)
        });
        found(check::agree(&whole, &check::read_pieces(pieces, &options)))?;
        found(check::agree(&whole, &check::read_pieces(text.as_bytes().chunks(1), &options)))?;
    }

    #[test]
    fn a_first_value_is_read_as_if_it_stood_alone(text in texts(), tail in texts(), options in options()) {
        let whole = [text.as_str(), &tail].concat();
        if let Some(first) = read_first(&whole, &options) {
            prop_assert!(is_valid(first.text()));
            prop_assert!(whole.starts_with(first.text()));
            let alone = read(first.text(), &options);
            prop_assert_eq!(format!("{first:?}"), format!("{alone:?}"));
        }
    }

    #[test]
    fn a_first_object_is_found_whatever_follows((value, text) in spelt(containers()), tail in texts()) {
        let text = text.trim();
        let whole = [text, &tail].concat();
        let first = read_first(&whole, &Options::default());
        let first = first.as_ref().map(Document::text);
        prop_assert!(first == Some(text) || value.is_array(), "{first:?}");
    }

    #[test]
    fn an_object_is_passed_as_serde_reads_it((value, text) in spelt(containers()), tail in texts()) {
        let text = [text.trim(), &tail].concat();
        let mut plain = Plain::new(&text, 0);
        let mut object = Object::default();
        let is_passed = plain.object(&mut object).is_some();
        prop_assert!(!is_passed || value.is_object());
        prop_assert!(!plain.is_wrong() || !value.is_object());
        if is_passed && let Some(built) = object.take_value() {
            prop_assert_eq!(built, value);
        }
    }

    #[test]
    fn only_an_object_that_is_right_is_passed(text in broken()) {
        let mut plain = Plain::new(&text, 0);
        let mut object = Object::default();
        if plain.object(&mut object).is_some() {
            let passed = text.get(..plain.at()).unwrap_or_default();
            let value = serde_json::from_str::<Value>(passed).ok();
            prop_assert!(value.is_some(), "{passed}");
            prop_assert!(object.take_value().is_none_or(|built| Some(built) == value));
        }
    }

    #[test]
    fn nothing_is_lost_and_twice_is_once(text in broken(), options in options()) {
        found(check::holds(&read(&text, &options), &options))?;
    }
}

proptest! {
    #![proptest_config(config(384))]

    #[test]
    fn closing_a_prefix_only_leaves_out_the_end((value, text) in spelt(containers())) {
        let options = Options::default();
        let text = text.trim();
        for end in 0..text.len() {
            let head = &text.as_bytes()[..end];
            let mut document = check::read_whole(head, &options);
            found(check::holds(&document, &options))?;
            prop_assert!(document.outcome() != Outcome::Untouched, "{text:?} cut at {end}");
            let mut likely = document.clone();
            likely.close(Trust::Likely);
            if matches!(likely.outcome(), Outcome::Mended(Trust::Exact | Trust::Likely)) {
                for node in likely.values() {
                    let given = node.to_value();
                    let is_within = within::is_within(&given, &value, Slack::TrailingMembers);
                    prop_assert!(is_within, "{text:?} cut at {end} became {given} at likely");
                }
            }
            document.close(Trust::Guess);
            for node in document.values() {
                let given = node.to_value();
                let is_within = within::is_within(&given, &value, Slack::CutTokens);
                prop_assert!(is_within, "{text:?} cut at {end} became {given}");
            }
        }
    }
}

#[test]
fn a_short_object_is_passed_to_its_end() {
    let text = r#" {"a": 1, "b": [true, "c\n"]} rest"#;
    let mut plain = Plain::new(text, 0);
    let mut object = Object::default();
    assert_eq!(plain.object(&mut object), Some(()));
    assert_eq!(text.get(plain.at()..), Some(" rest"));
    assert_eq!(object.take_value(), Some(serde_json::json!({"a": 1, "b": [true, "c\n"]})));
    for wrong in [r#"{"a" 1}"#, r#"{"a": 1"#, r#"{"a": 1 "b": 2}"#, r#"{"a": [1 2]}"#, "{a: 1}"] {
        let mut plain = Plain::new(wrong, 0);
        assert_eq!(plain.object(&mut Object::default()), None, "{wrong}");
        assert!(plain.is_wrong(), "{wrong}");
    }
}

#[test]
fn a_string_is_passed_as_serde_reads_it() {
    let mut count = 0;
    for text in [
        r#""Graz" rest"#,
        r#""""#,
        r#" "a\n\u00e9\ud83d\ude00\"b","#,
        r#""a\ud83d""#,
        r#""a\x""#,
        "\"a\tb\"",
        r#""a"#,
        "1",
        "[]",
        "",
    ] {
        let mut plain = Plain::new(text, 0);
        let passed = plain.string();
        count += usize::from(passed.is_some());
        let own = text.get(..plain.at()).filter(|_| passed.is_some());
        let value = own.and_then(|own| serde_json::from_str::<String>(own).ok());
        assert_eq!(passed.as_deref(), value.as_deref(), "{text}");
    }
    assert_eq!(count, 3);
}

#[test]
fn a_block_of_code_stands_where_its_fences_do() {
    let text = "{\"code\": ```\nlet a;\n```, \"n\": 1}";
    let document = read(text, &Options::default());
    let code = document.value().and_then(|value| value.get("code"));
    assert_eq!(code.map(|code| code.source()), Some("```\nlet a;\n```"));
}
