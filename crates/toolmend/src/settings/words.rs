//! Trust as a word of the settings file.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use toolmend_json::Trust;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
pub(super) fn serialize<S: Serializer>(trust: &Trust, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(trust.as_str())
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Trust, D::Error> {
    let word = String::deserialize(from)?;
    let known = Trust::ALL.into_iter().find(|trust| trust.as_str() == word);
    known.ok_or_else(|| D::Error::unknown_variant(&word, &["exact", "likely", "guess"]))
}

/// The same where it may be missing.
pub(super) mod option {
    use serde::{Deserializer, Serializer};
    use toolmend_json::Trust;

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes fields by reference"
    )]
    pub(in super::super) fn serialize<S: Serializer>(
        trust: &Option<Trust>,
        out: S,
    ) -> Result<S::Ok, S::Error> {
        match trust {
            Some(trust) => super::serialize(trust, out),
            None => out.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Trust>, D::Error> {
        super::deserialize(from).map(Some)
    }
}
