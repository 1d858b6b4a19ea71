//! Bodies on their way through.

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};

/// Whatever can go wrong on the way.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A body of any kind.
pub(crate) type Body = UnsyncBoxBody<Bytes, BoxError>;

/// A body that is at hand.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body that comes from elsewhere.
pub(crate) fn passed<B>(body: B) -> Body
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    body.map_err(Into::into).boxed_unsync()
}
