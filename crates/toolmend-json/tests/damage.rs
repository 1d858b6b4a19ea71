//! What comes back from broken text is what was meant, or nothing.
//!
//! The benchmark prints the same figures per class and beside other libraries.

use damage::{Case, cases};
use toolmend_json::{Expected, Options, Outcome, Shape, Trust, Want, read};

/// What a reader made of a text.
enum Answer {
    Right,
    Wrong,
    Refused,
}

fn answer(case: &Case, keys: &[String]) -> Answer {
    let expected = Expected::root(Want::Object).with_keys(keys.iter().cloned());
    let mut document = read(&case.text, &Options { expected, ..Options::default() });
    document.close(Trust::Likely);
    let is_taken = match document.outcome() {
        Outcome::Untouched => true,
        Outcome::Mended(trust) => trust <= Trust::Likely,
        _ => false,
    };
    if !is_taken || document.values().any(|value| value.shape() != Shape::Object) {
        return Answer::Refused;
    }
    let values: Vec<_> = document.values().map(|value| value.to_value()).collect();
    if case.accepts_several(&values) { Answer::Right } else { Answer::Wrong }
}

/// Counts the answers over all classes; the keys are told or not.
fn count(keys_of: impl Fn(&Case) -> Vec<String>) -> (usize, usize, usize, usize) {
    let (mut all, mut wrong, mut kept, mut right) = (0, 0, 0, 0);
    for case in cases(2026, 40) {
        all += 1;
        kept += usize::from(case.keeps_information);
        match answer(&case, &keys_of(&case)) {
            Answer::Right => right += usize::from(case.keeps_information),
            Answer::Wrong => wrong += 1,
            Answer::Refused => {}
        }
    }
    (all, wrong, kept, right)
}

#[test]
fn almost_no_value_is_silently_wrong_and_most_come_back() {
    for told in [false, true] {
        let (all, wrong, kept, right) =
            count(|case| if told { case.keys.clone() } else { Vec::new() });
        assert!(wrong * 1000 <= all * 3, "{wrong} of {all} wrong, keys told: {told}");
        assert!(right * 1000 >= kept * 985, "{right} of {kept} right, keys told: {told}");
    }
}
