//! What may be used of a text, and why not.

use toolmend_json::{
    Accepted, Expected, FaultCode, Options, Policy, Refusal, Shape, Trust, Want, accept, read,
};

const CAREFUL: Policy = Policy { trust: Trust::Likely, closing: None, want: Want::Any };

fn asked(text: &str, policy: Policy) -> Result<Accepted, Refusal> {
    accept(&mut read(text, &Options::default()), policy)
}

#[test]
fn what_is_right_is_used_if_it_has_the_wanted_shape() {
    for (want, object, list) in [
        (Want::Any, Ok(Accepted::Untouched), Ok(Accepted::Untouched)),
        (Want::Object, Ok(Accepted::Untouched), Err(Refusal::Shape(Shape::Array))),
        (Want::Array, Err(Refusal::Shape(Shape::Object)), Ok(Accepted::Untouched)),
    ] {
        let policy = Policy { want, ..CAREFUL };
        assert_eq!(asked(r#"{"a": 1}"#, policy), object, "{want:?}");
        assert_eq!(asked("[1]", policy), list, "{want:?}");
    }
}

#[test]
fn what_is_less_sure_than_allowed_names_its_fault() {
    let text = r#"{"text": "one" "two" three", "stops": 1}"#;
    assert!(matches!(
        asked(text, CAREFUL),
        Err(Refusal::Untrusted(Trust::Guess, Some(fault))) if fault.code == FaultCode::UnclearEnd
    ));
    assert_eq!(asked(text, Policy { trust: Trust::Guess, ..CAREFUL }), Ok(Accepted::Mended));
    assert_eq!(asked(r#"{"a": 1,}"#, CAREFUL), Ok(Accepted::Mended));
    assert_eq!(asked("", CAREFUL), Err(Refusal::Empty));
    assert_eq!(asked("no", CAREFUL), Err(Refusal::Unreadable(FaultCode::NoValue)));
}

#[test]
fn a_refusal_points_at_its_place() {
    let list = Policy { want: Want::Array, ..CAREFUL };
    for (text, policy, place) in [
        ("", CAREFUL, None),
        (r#"{"a": 1, "b": , "c": 2}"#, CAREFUL, Some(14)),
        (r#"{"a": "b" "#, CAREFUL, Some(9)),
        (r#"{"text": "one" "two" three", "stops": 1}"#, CAREFUL, Some(9)),
        (r#" {"a": 1}"#, list, Some(1)),
    ] {
        let mut document = read(text, &Options::default());
        let refusal = accept(&mut document, policy).unwrap_err();
        assert_eq!(refusal.place(&document), place, "{text} {refusal:?}");
    }
}

#[test]
fn a_cut_is_closed_as_far_as_that_is_allowed() {
    let close = |trust| Policy { closing: Some(trust), ..CAREFUL };
    for (text, policy, told) in [
        (r#"{"a": "b""#, CAREFUL, Err(Refusal::Cut(Trust::Likely))),
        (r#"{"a": "b""#, close(Trust::Likely), Ok(Accepted::Closed(Trust::Likely))),
        (r#"{"a": "b"#, close(Trust::Likely), Err(Refusal::Cut(Trust::Guess))),
        (r#"{"a": "b"#, close(Trust::Guess), Ok(Accepted::Closed(Trust::Guess))),
    ] {
        assert_eq!(asked(text, policy), told, "{text} {policy:?}");
    }
}

#[test]
fn where_a_text_was_cut_is_told_with_what_was_open() {
    for (text, told) in [
        (r#"{"a": [1, {"b": "#, "after a colon, before the value, with 2 objects and 1 list open"),
        (r#"{"a": "b"#, "inside a string, with 1 object open"),
        ("[[1,", "after a comma, with 2 lists open"),
    ] {
        let options = Options { expected: Expected::root(Want::Any), ..Options::default() };
        let document = read(text, &options);
        assert_eq!(document.cut().map(toolmend_json::Cut::ending).as_deref(), Some(told), "{text}");
    }
}
