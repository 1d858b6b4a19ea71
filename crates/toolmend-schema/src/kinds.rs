//! Sets of JSON types: what a schema accepts, and what a value is.

use serde_json::{Number, Value};

/// A set of types. Whole numbers and other numbers are two types here, as they are to schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(1 << 1);
    pub(crate) const INTEGER: Self = Self(1 << 2);
    /// A number with a fraction.
    pub(crate) const FRACTION: Self = Self(1 << 3);
    pub(crate) const STRING: Self = Self(1 << 4);
    pub(crate) const ARRAY: Self = Self(1 << 5);
    pub(crate) const OBJECT: Self = Self(1 << 6);
    pub(crate) const NUMBER: Self = Self(Self::INTEGER.0 | Self::FRACTION.0);
    pub(crate) const ANY: Self = Self(0x7f);

    /// The types that a value can have.
    pub(crate) const EACH: [Self; 7] = [
        Self::STRING,
        Self::INTEGER,
        Self::FRACTION,
        Self::BOOLEAN,
        Self::NULL,
        Self::ARRAY,
        Self::OBJECT,
    ];

    /// The type that a schema calls by this name.
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => Self::NONE,
        }
    }

    /// The types that the keyword `type` names; all where it is not there.
    pub(crate) fn of_type(keyword: Option<&Value>) -> Self {
        match keyword {
            Some(Value::String(name)) => Self::named(name),
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                names.fold(Self::NONE, |kinds, name| kinds.or(Self::named(name)))
            }
            _ => Self::ANY,
        }
    }

    /// The type of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if is_whole(number) => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it has any of the other's types.
    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has nothing but the other's types.
    pub(crate) fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The names of the types, as a schema spells them.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let rows = [
            (Self::STRING, "string"),
            (Self::NUMBER, "number"),
            (Self::INTEGER, "integer"),
            (Self::BOOLEAN, "boolean"),
            (Self::ARRAY, "array"),
            (Self::OBJECT, "object"),
            (Self::NULL, "null"),
        ];
        let is_there = |kinds: Self| kinds.is_within(self);
        let fits = rows.iter().filter(|(kinds, name)| {
            is_there(*kinds) && !(*name == "integer" && is_there(Self::NUMBER))
        });
        fits.map(|(_, name)| *name).collect()
    }
}

/// Whether a number has no fraction, however it is written.
pub(crate) fn is_whole(number: &Number) -> bool {
    let text = number.as_str();
    let mut rest = text.bytes().skip_while(|byte| !matches!(byte, b'.' | b'e' | b'E'));
    match rest.next() {
        None => true,
        // Almost all others have no exponent.
        Some(b'.') if rest.clone().all(|byte| byte.is_ascii_digit()) => {
            rest.all(|digit| digit == b'0')
        }
        Some(_) => is_whole_with_exponent(text),
    }
}

fn is_whole_with_exponent(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = whole.trim_end_matches('0');
    let is_zero = fraction.is_empty() && matches!(digits, "" | "-");
    is_zero
        || exponent.parse::<i64>().is_ok_and(|exponent| match usize::try_from(exponent) {
            Ok(places) => fraction.len() <= places,
            // `100e-2` is a whole number, too.
            Err(_) => {
                let zeros = u64::try_from(whole.len() - digits.len()).unwrap_or(u64::MAX);
                fraction.is_empty() && exponent.unsigned_abs() <= zeros
            }
        })
}
