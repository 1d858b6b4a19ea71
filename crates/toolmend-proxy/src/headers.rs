//! Headers that concern one connection only, and the key that clients show.

use bytes::BytesMut;
use http::Request;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::request::Parts;
use subtle::ConstantTimeEq as _;

/// Headers that a proxy does not pass on.
static HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Takes out what concerns this connection only.
pub(crate) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    // Mostly there is nothing of the kind, and one look at each header tells.
    let own = headers.keys().filter(|name| HOP_BY_HOP.contains(name)).cloned();
    let named = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok());
    let gone: Vec<HeaderName> = own.chain(named).collect();
    for name in gone {
        headers.remove(name);
    }
}

/// The same head in memory of its own. Headers of a request are parts of what its connection read, and
/// would keep all of that for as long as a stream lasts.
pub(crate) fn detached(head: Parts) -> Parts {
    let values = || head.headers.values().map(HeaderValue::as_bytes);
    let mut written = BytesMut::with_capacity(values().map(<[u8]>::len).sum());
    values().for_each(|value| written.extend_from_slice(value));
    let mut written = written.freeze();
    let (mut own, ()) = Request::new(()).into_parts();
    (own.method, own.uri, own.version) = (head.method, head.uri, head.version);
    own.headers.reserve(head.headers.len());
    for (name, value) in &head.headers {
        if let Ok(mut same) = HeaderValue::from_maybe_shared(written.split_to(value.len())) {
            same.set_sensitive(value.is_sensitive());
            own.headers.append(name.clone(), same);
        }
    }
    own
}

/// Which keys a model server gets to see. The key of the proxy itself never goes further.
#[derive(Clone, Default)]
pub enum Credentials {
    /// Those of the client.
    #[default]
    Passed,
    /// None: for a server that was merely found, not named.
    Withheld,
    /// This one, and not the client's. Servers that settings name for some models do not get it.
    Own(String),
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Passed => "Passed",
            Self::Withheld => "Withheld",
            Self::Own(_) => "Own(…)",
        })
    }
}

/// Headers by which a client or a server is known, and that are nobody else's business.
const SECRET: [&str; 5] = ["authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"];

impl Credentials {
    /// Puts the keys into a request that they allow.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) {
        let is_withheld = !matches!(self, Self::Passed);
        // Anthropic's way of showing a key is kept to by who uses it.
        let is_named =
            headers.contains_key("x-api-key") || headers.contains_key("anthropic-version");
        if is_withheld {
            for name in SECRET {
                headers.remove(name);
            }
        }
        let Self::Own(key) = self else { return };
        let (name, shown) = match is_named {
            true => ("x-api-key", key.clone()),
            false => ("authorization", format!("Bearer {key}")),
        };
        if let Ok(mut value) = HeaderValue::from_str(&shown) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
}

/// Where a client may show the key of the proxy.
const KEY_HEADERS: [&str; 2] = ["authorization", "x-api-key"];

/// A key. It is never shown.
#[derive(Clone)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn new(key: String) -> Self {
        Self(key)
    }

    /// Whether these headers show the key, told in the same time for any guess of its length.
    pub(crate) fn is_shown(&self, headers: &HeaderMap) -> bool {
        KEY_HEADERS.iter().any(|name| self.is_shown_in(headers, name))
    }

    fn is_shown_in(&self, headers: &HeaderMap, name: &str) -> bool {
        let value = headers.get(name);
        let shown = match name {
            "authorization" => value.and_then(bearer),
            _ => value.map(HeaderValue::as_bytes),
        };
        shown.is_some_and(|shown| shown.ct_eq(self.0.as_bytes()).into())
    }

    /// Takes out the headers that show the key: it goes no further. Another key that the client
    /// shows is for the server.
    pub(crate) fn take_out(&self, headers: &mut HeaderMap) {
        for name in KEY_HEADERS {
            if self.is_shown_in(headers, name) {
                headers.remove(name);
            }
        }
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
