//! The page: a few files that are part of the program.

use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue};
use http::{Response, StatusCode};

use super::answer::{answer as whole, text};
use crate::body::Body;

/// The files, by their paths.
const FILES: &[(&str, &str, &str)] = &[
    ("/", "text/html; charset=utf-8", include_str!("../../page/index.html")),
    ("/page.css", "text/css; charset=utf-8", include_str!("../../page/page.css")),
    ("/page.js", "text/javascript; charset=utf-8", include_str!("../../page/page.js")),
    ("/chart.js", "text/javascript; charset=utf-8", include_str!("../../page/chart.js")),
    ("/detail.js", "text/javascript; charset=utf-8", include_str!("../../page/detail.js")),
    ("/dom.js", "text/javascript; charset=utf-8", include_str!("../../page/dom.js")),
    (ICON, "image/svg+xml", include_str!("../../page/icon.svg")),
];

/// The icon is asked for whenever the URL changes, as it does with each filter.
const ICON: &str = "/icon.svg";
const ICON_KEPT: &str = "private, max-age=3600";

/// The page loads nothing from elsewhere and runs no script but its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

fn file(path: &str) -> Option<Response<Body>> {
    let (_, kind, body) = FILES.iter().find(|(own, ..)| *own == path)?;
    let mut response = whole(StatusCode::OK, kind, *body);
    let policy = HeaderValue::from_static(POLICY);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    if path == ICON {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(ICON_KEPT));
    }
    Some(response)
}

pub(super) fn answer(path: &str) -> Response<Body> {
    file(path).unwrap_or_else(|| text(StatusCode::NOT_FOUND, "there is nothing here\n"))
}
