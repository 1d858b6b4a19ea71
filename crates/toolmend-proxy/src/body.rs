//! Bodies on their way through.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use tokio::time::timeout;

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

/// Why a body did not come whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Halted {
    TooLarge,
    /// Nothing came for too long.
    Late,
    Broken,
}

/// Waits for a whole body, as long as it goes on.
pub(crate) async fn collect(
    mut body: impl http_body::Body<Data = Bytes> + Unpin,
    bytes_max: usize,
    wait: Duration,
) -> Result<Bytes, Halted> {
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    loop {
        let frame = match timeout(wait, body.frame()).await {
            Err(_) => return Err(Halted::Late),
            Ok(None) if whole.is_empty() => return Ok(first),
            Ok(None) => return Ok(whole.freeze()),
            Ok(Some(Err(_))) => return Err(Halted::Broken),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > bytes_max.saturating_sub(first.len().max(whole.len())) {
            return Err(Halted::TooLarge);
        }
        // Most bodies are one piece, and need no copy.
        if first.is_empty() {
            first = data;
            continue;
        }
        if whole.is_empty() {
            whole.extend_from_slice(&first);
        }
        whole.extend_from_slice(&data);
    }
}
