//! Headers that concern one connection only, and the key that clients show.

use http::header::{AUTHORIZATION, CONNECTION, HeaderMap, HeaderName, HeaderValue};
use subtle::ConstantTimeEq as _;

/// Headers that a proxy does not pass on.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Takes out what concerns this connection only.
pub(crate) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

/// A key. It is never shown.
#[derive(Clone)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn new(key: String) -> Self {
        Self(key)
    }

    /// Whether these headers show the key, told in the same time for any guess of its length.
    pub(crate) fn is_shown(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| bearer(value));
        let other = headers.get("x-api-key").map(HeaderValue::as_bytes);
        [bearer, other].into_iter().flatten().any(|shown| shown.ct_eq(self.0.as_bytes()).into())
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key(…)")
    }
}

fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let (scheme, key) = value.as_bytes().split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(key)
}

#[cfg(test)]
mod tests {
    use http::header::{HeaderMap, HeaderValue};

    use super::{Key, strip_hop_by_hop};

    #[test]
    fn what_concerns_one_connection_stays_there() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "x-once, close"),
            ("x-once", "1"),
            ("te", "trailers"),
            ("accept", "*/*"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        strip_hop_by_hop(&mut headers);
        assert_eq!(headers.keys().map(http::HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
    }

    #[test]
    fn a_key_is_shown_either_way_and_never_printed() {
        let key = Key::new("secret".to_owned());
        let shows = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            key.is_shown(&headers)
        };
        assert!(shows("authorization", "Bearer secret"));
        assert!(shows("authorization", "bearer secret"));
        assert!(shows("x-api-key", "secret"));
        assert!(!shows("x-api-key", "secret2"));
        assert!(!shows("authorization", "secret"));
        assert_eq!(format!("{key:?}"), "Key(…)");
    }
}
