//! Makes good tool arguments and breaks them as models do.
//!
//! Every class of damage is one row of [`classes`]. A case is named by its class and seed: the same
//! seed gives the same text for good.
//!
//! ```
//! let case = damage::cases(7, 1).find(|case| case.class == "comma-trailing").unwrap();
//! assert!(serde_json::from_str::<serde_json::Value>(&case.text).is_err());
//! assert!(case.accepts(&case.accepted[0]));
//! ```

mod classes;
mod draft;
mod payload;
mod quoting;
mod rng;
mod same;
mod token;

use serde_json::Value;

pub use classes::{Class, Group, Strict, class, classes};
pub use draft::Extent;
pub use payload::{Family, payload};
pub use rng::{Rng, mix};
pub use same::same;

use draft::Draft;

/// A broken text and what was meant by it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of its class.
    pub class: &'static str,
    /// What kind of payload was broken.
    pub family: Family,
    /// How many bytes the payload was asked to have.
    pub size: usize,
    /// What the payload and its damage were drawn from.
    pub seed: u64,
    /// The broken text.
    pub text: String,
    /// The same payload in the same layout with nothing wrong: what damage costs is compared to it.
    pub undamaged: String,
    /// What was meant, then whatever else a fair reader would take.
    pub accepted: Vec<Value>,
    /// The values in order, where several were meant; otherwise empty.
    pub accepted_several: Vec<Value>,
    /// All property names, as a schema would tell them.
    pub keys: Vec<String>,
    /// Whether this text still holds all that was meant.
    pub keeps_information: bool,
}

impl Case {
    /// Whether this value is one that was meant.
    #[must_use]
    pub fn accepts(&self, value: &Value) -> bool {
        self.accepted.iter().any(|accepted| same(accepted, value))
    }

    /// Whether these values, in order, are what was meant.
    #[must_use]
    pub fn accepts_several(&self, values: &[Value]) -> bool {
        match (values, self.accepted_several.as_slice()) {
            ([value], []) => self.accepts(value),
            (values, several) => {
                values.len() == several.len()
                    && values.iter().zip(several).all(|(value, meant)| same(value, meant))
            }
        }
    }
}

/// How often other payloads are tried for a class that the first one has nothing to break for.
const TRIES_MAX: u64 = 60;

/// So many cases of every class, of all families, from 100 bytes to 10 KB.
pub fn cases(seed: u64, per_class: usize) -> impl Iterator<Item = Case> {
    classes().iter().zip(0_u64..).flat_map(move |(class, row)| {
        (0..per_class as u64).filter_map(move |index| {
            (0..TRIES_MAX).find_map(|attempt| {
                let case_seed = mix(&[seed, row, index, attempt]);
                let mut rng = Rng::new(case_seed);
                let families = Family::ALL;
                let turn = usize::try_from(index + attempt).unwrap_or_default() % families.len();
                let size = size(&mut rng);
                let extent =
                    rng.pick(&[Some(Extent::Once), Some(Extent::Here), Some(Extent::Throughout)]);
                damaged_as(class, *families.get(turn)?, extent?, size, case_seed)
            })
        })
    })
}

/// From 100 bytes to 10 KB, each power of two about as often, small ones a little more.
fn size(rng: &mut Rng) -> usize {
    let power = rng.below(7).min(rng.between(0, 7));
    let low = 100 << power;
    rng.between(low, low * 2).min(10_240)
}

/// A payload of about this many bytes, broken in every place where the class can be, in the first
/// family that has such a place.
#[must_use]
pub fn damaged(class: &Class, bytes: usize, seed: u64) -> Option<Case> {
    [Family::Records, Family::Flat, Family::Code, Family::Numbers]
        .into_iter()
        .find_map(|family| damaged_as(class, family, Extent::Throughout, bytes, seed))
}

/// A payload of this family and about this many bytes, broken to this extent. `None` where the
/// payload has nothing to break in this way.
#[must_use]
pub fn damaged_as(
    class: &Class,
    family: Family,
    extent: Extent,
    bytes: usize,
    seed: u64,
) -> Option<Case> {
    let mut rng = Rng::new(seed);
    let value = payload(family, bytes, &mut rng);
    // From a source of its own: a longer payload is broken in the same way.
    let mut draft = Draft::new(value, extent, Rng::new(mix(&[seed, 1])));
    (class.damage)(&mut draft)?;
    let keys = payload::property_names(&draft.value);
    let keeps_information = class.keeps_information && draft.keeps_information;
    let text = draft.text();
    let undamaged = draft.undamaged();
    let mut accepted = vec![draft.value];
    accepted.extend(draft.others);
    Some(Case {
        class: class.name,
        family,
        size: bytes,
        seed,
        text,
        undamaged,
        accepted,
        accepted_several: draft.several,
        keys,
        keeps_information,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Extent, Family, Strict, cases, class, classes, damaged, damaged_as, same};
    use serde_json::Value;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = classes().iter().map(|class| class.name).collect();
        assert_eq!(names.len(), classes().len());
    }

    #[test]
    fn every_class_has_its_cases() {
        let mut counts = std::collections::BTreeMap::new();
        for case in cases(1, 6) {
            *counts.entry(case.class).or_insert(0) += 1;
        }
        let short: Vec<_> = classes()
            .iter()
            .filter(|class| counts.get(class.name) != Some(&6))
            .map(|class| class.name)
            .collect();
        assert!(short.is_empty(), "{short:?}");
    }

    #[test]
    fn strict_reading_is_as_the_table_says() {
        for case in cases(2, 40) {
            let read = serde_json::from_str::<Value>(&case.text);
            match class(case.class).unwrap().strict {
                Strict::Reads => assert!(case.accepts(&read.unwrap()), "{}", case.text),
                Strict::Refuses => {
                    assert!(read.is_err(), "{} {}: {}", case.class, case.seed, case.text);
                }
                Strict::ReadsString => {
                    assert!(read.is_err() || read.unwrap().is_string(), "{}", case.text);
                }
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_text() {
        let texts = |seed| cases(seed, 2).map(|case| case.text).collect::<Vec<_>>();
        assert_eq!(texts(5), texts(5));
        assert_ne!(texts(5), texts(6));
    }

    #[test]
    fn the_original_is_accepted_first() {
        for case in cases(3, 3) {
            assert!(case.accepts(&case.accepted[0]), "{}", case.class);
            assert_eq!(case.accepted_several.is_empty(), case.class != "two-objects");
        }
    }

    #[test]
    fn sizes_are_about_right() {
        for class in classes() {
            let case = damaged(class, 50_000, 9).unwrap_or_else(|| panic!("{}", class.name));
            let is_cut = class.name.starts_with("cut-");
            assert!(
                is_cut || (30_000..400_000).contains(&case.text.len()),
                "{} {}",
                class.name,
                case.text.len()
            );
        }
    }

    #[test]
    fn a_cut_accepts_what_stands_before_it() {
        let cut = class("cut-in-string").unwrap();
        let case = damaged_as(cut, Family::Code, Extent::Once, 200, 4).unwrap();
        let closed = format!("{}\"}}", case.text);
        let value = serde_json::from_str::<Value>(&closed).unwrap();
        assert!(case.accepted.iter().any(|accepted| same(accepted, &value)), "{closed}");
    }
}
