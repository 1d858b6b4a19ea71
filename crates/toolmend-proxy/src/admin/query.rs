//! The query of a URL: filters by name.

use toolmend_store::{Fate, Filter};

/// The fields of a query, decoded.
#[derive(Debug)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    pub(super) fn read(text: &str) -> Self {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        Self(pairs.map(|(name, value)| (decode(name), decode(value))).collect())
    }

    /// A field that says something.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, value)| own == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// A field that is a number.
    pub(super) fn number(&self, name: &str) -> Option<i64> {
        self.get(name)?.parse().ok()
    }

    /// Which calls are meant.
    pub(super) fn filter(&self) -> Filter {
        let text = |name: &str| self.get(name).map(str::to_owned);
        Filter {
            since_ms: self.number("since"),
            until_ms: self.number("until"),
            model: text("model"),
            tool: text("tool"),
            fate: self.get("outcome").and_then(Fate::read),
            dialect: text("dialect"),
            rule: text("rule"),
            reason: text("reason"),
            api: text("api"),
            has_text: self.get("texts") == Some("1"),
        }
    }
}

/// Undoes `+` and `%41`. What is no such code stays.
fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let code = || {
            let mut ahead = bytes.clone();
            let (high, low) = (ahead.next()?, ahead.next()?);
            let digit = |byte: u8| char::from(byte).to_digit(16);
            u8::try_from(digit(high)? * 16 + digit(low)?).ok()
        };
        match byte {
            b'+' => out.push(b' '),
            b'%' => match code() {
                Some(code) => {
                    out.push(code);
                    bytes.nth(1);
                }
                None => out.push(b'%'),
            },
            byte => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use toolmend_store::Fate;

    use super::Query;

    #[test]
    fn filters_are_read_from_a_query() {
        let query = Query::read("model=a%2Fb+c%&outcome=mended&since=12&tool=&rule=%F0%9F%98%80");
        let filter = query.filter();
        assert_eq!(filter.model.as_deref(), Some("a/b c%"));
        assert_eq!((filter.fate, filter.since_ms), (Some(Fate::Mended), Some(12)));
        assert_eq!((filter.tool, filter.rule.as_deref()), (None, Some("😀")));
    }
}
