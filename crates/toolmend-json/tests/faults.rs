//! The catalogue of faults tells the truth.

use toolmend_json::{Cut, Expected, FaultCode, Options, Outcome, Trust, Want, read};

#[test]
fn each_example_has_its_fault() {
    for &code in FaultCode::ALL.iter().filter(|code| !code.example().is_empty()) {
        let want = if code == FaultCode::DoubleEncoded { Want::Object } else { Want::Any };
        let options = Options { expected: Expected::root(want), ..Options::default() };
        let mut document = read(code.example(), &options);
        if document.cut().is_some() {
            document.close(Trust::Guess);
        }
        let has_fault = document.faults().iter().any(|fault| fault.code == code);
        assert!(has_fault, "{}: {:?} {:?}", code.id(), document.outcome(), document.faults());
        if code.trust().is_none() {
            assert_eq!(document.outcome(), Outcome::Refused(code), "{}", code.id());
        }
    }
}

#[test]
fn ids_are_unique_and_in_kebab_case() {
    for (index, code) in FaultCode::ALL.iter().enumerate() {
        let id = code.id();
        assert!(id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')), "{id}");
        assert!(FaultCode::ALL[..index].iter().all(|other| other.id() != id), "{id}");
    }
}

#[test]
fn the_catalogue_is_sorted_by_trust() {
    let rank = |code: &FaultCode| code.trust().map_or(3, |trust| trust as u8);
    assert!(FaultCode::ALL.is_sorted_by_key(rank));
}

#[test]
fn an_outcome_is_as_trusted_as_its_least_trusted_fault() {
    for code in FaultCode::ALL {
        let document = read(code.example(), &Options::default());
        let least = document.faults().iter().filter_map(|fault| fault.code.trust()).max();
        if let Outcome::Mended(trust) = document.outcome() {
            assert_eq!(Some(trust), least, "{}", code.id());
        }
    }
}

#[test]
fn closing_is_likely_only_between_members_of_objects() {
    let trust = |text| read(text, &Options::default()).cut().map(Cut::trust);
    assert_eq!(trust(r#"{"a": "b""#), Some(Trust::Likely));
    assert_eq!(trust(r#"{"a": ["b""#), Some(Trust::Guess));
    assert_eq!(trust(r#"{"a": 1"#), Some(Trust::Guess));
    assert_eq!(trust(r#"{"a": "b"#), Some(Trust::Guess));
}
