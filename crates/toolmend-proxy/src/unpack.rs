//! Replies that come packed although that was not asked for: they are unpacked as they flow, a little
//! at a time, so that a small packet cannot fill memory.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder, ZlibDecoder, ZstdDecoder};
use bytes::{Bytes, BytesMut};
use http::Response;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use http_body::Frame;
use http_body_util::{BodyDataStream, BodyExt as _};
use tokio::io::AsyncRead;
use tokio_util::io::{StreamReader, poll_read_buf};

use crate::body::{Body, BoxError, passed};

/// So much is unpacked at a time.
const STEP_BYTES: usize = 16 << 10;

/// The reply with its body unpacked, and with headers that say so; as it is where it cannot be.
pub(crate) fn opened(response: Response<Body>) -> Response<Body> {
    let Some(packing) = Packing::of(response.headers()).filter(|way| *way != Packing::Other) else {
        return response;
    };
    let (mut head, body) = response.into_parts();
    head.headers.remove(CONTENT_ENCODING);
    head.headers.remove(CONTENT_LENGTH);
    Response::from_parts(head, packing.unpack(body))
}

/// Whether the body behind these headers is packed.
pub(crate) fn is_packed(headers: &HeaderMap) -> bool {
    Packing::of(headers).is_some()
}

/// How a body is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
    /// In a way, or in several ways, that are not read here.
    Other,
}

impl Packing {
    /// How the body behind these headers is packed, if it is.
    fn of(headers: &HeaderMap) -> Option<Self> {
        let mut ways = headers.get_all(CONTENT_ENCODING).iter();
        let way = ways.next()?;
        if ways.next().is_some() {
            return Some(Self::Other);
        }
        match way.to_str().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" | "identity" => None,
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "deflate" => Some(Self::Deflate),
            "br" => Some(Self::Brotli),
            "zstd" => Some(Self::Zstd),
            _ => Some(Self::Other),
        }
    }

    fn unpack(self, body: Body) -> Body {
        let source = |body: Body| {
            StreamReader::new(BodyDataStream::new(body.map_err(std::io::Error::other)))
        };
        let reader: Pin<Box<dyn AsyncRead + Send>> = match self {
            Self::Gzip => Box::pin(GzipDecoder::new(source(body))),
            Self::Deflate => Box::pin(ZlibDecoder::new(source(body))),
            Self::Brotli => Box::pin(BrotliDecoder::new(source(body))),
            Self::Zstd => Box::pin(ZstdDecoder::new(source(body))),
            Self::Other => return body,
        };
        passed(Unpacked { reader })
    }
}

struct Unpacked {
    reader: Pin<Box<dyn AsyncRead + Send>>,
}

impl http_body::Body for Unpacked {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let mut bytes = BytesMut::with_capacity(STEP_BYTES);
        let read = ready!(poll_read_buf(self.reader.as_mut(), context, &mut bytes));
        Poll::Ready(match read {
            Ok(0) => None,
            Ok(_) => Some(Ok(Frame::data(bytes.freeze()))),
            Err(error) => Some(Err(error.into())),
        })
    }
}

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};

    use super::Packing;

    #[test]
    fn a_packing_is_known_by_its_header() {
        for (word, wanted) in [
            ("identity", None),
            ("gzip", Some(Packing::Gzip)),
            ("BR", Some(Packing::Brotli)),
            ("zstd", Some(Packing::Zstd)),
            ("gzip, br", Some(Packing::Other)),
            ("snappy", Some(Packing::Other)),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(word));
            assert_eq!(Packing::of(&headers), wanted, "{word}");
        }
        assert_eq!(Packing::of(&HeaderMap::new()), None);
    }
}
