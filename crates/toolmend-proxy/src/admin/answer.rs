//! Answers of every kind.

use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use serde_json::Value;

use crate::body::{Body, full};

/// What goes with every answer: nothing is guessed, framed, cached or sent on.
const GUARDS: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cache-control", "no-store"),
];

pub(super) fn answer(
    status: StatusCode,
    kind: &'static str,
    body: impl Into<bytes::Bytes>,
) -> Response<Body> {
    with_body(status, kind, full(body))
}

pub(super) fn with_body(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in GUARDS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    response
}

pub(super) fn text(status: StatusCode, body: &str) -> Response<Body> {
    answer(status, "text/plain; charset=utf-8", body.to_owned())
}

pub(super) fn metrics(body: String) -> Response<Body> {
    answer(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", body)
}

pub(super) fn json(value: &Value) -> Response<Body> {
    answer(StatusCode::OK, "application/json", value.to_string())
}

/// Something went wrong, told in JSON.
pub(super) fn wrong(status: StatusCode, message: &str) -> Response<Body> {
    answer(status, "application/json", serde_json::json!({"error": message}).to_string())
}

/// A file that the browser saves.
pub(super) fn file(name: &str, kind: &'static str, body: String) -> Response<Body> {
    let mut response = answer(StatusCode::OK, kind, body);
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, value);
    }
    response
}
