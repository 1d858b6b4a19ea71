//! Connections to servers that are spoken to without TLS, as those on the same machine are. Each is read where its
//! stream is answered: nothing stands between the two but the bytes themselves, and an open stream that is silent
//! keeps no buffers.

use std::borrow::Cow;
use std::error::Error;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf as _, Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, EXPECT, HeaderValue};
use http::request::Parts;
use http::{Request, Response};
use http_body::Frame;
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use ureq_proto::BodyMode;
use ureq_proto::client::state::{RecvBody, RecvResponse};
use ureq_proto::client::{Call, RecvBodyResult, RecvResponseResult, SendRequestResult};

/// The head of an answer may be this long.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// What is read at once.
const READ_BYTES: usize = 16 * 1024;
/// A line that nobody needed for so long is hung up.
const IDLE: Duration = Duration::from_mins(1);

/// The lines of one server that wait for the next request.
#[derive(Debug, Default)]
pub(crate) struct Lines(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    idle: Vec<Idle>,
    /// Whether somebody looks after them.
    is_watched: bool,
}

#[derive(Debug)]
struct Idle {
    socket: TcpStream,
    since: Instant,
}

impl Idle {
    /// Whether the server still listens. One that says something unasked does not.
    fn is_open(&self) -> bool {
        let told = self.socket.try_read(&mut [0]);
        told.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

impl Lines {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line that is open; the one that was used last.
    pub(super) fn take(&self) -> Option<TcpStream> {
        let mut waiting = self.lock();
        std::iter::from_fn(|| waiting.idle.pop()).find(Idle::is_open).map(|idle| idle.socket)
    }

    fn put_back(self: &Arc<Self>, socket: TcpStream) {
        let mut waiting = self.lock();
        waiting.idle.push(Idle { socket, since: Instant::now() });
        if !waiting.is_watched {
            waiting.is_watched = true;
            tokio::spawn(hang_up(Arc::downgrade(self)));
        }
    }
}

/// Hangs up the lines that nobody needs, until there are none.
async fn hang_up(lines: Weak<Lines>) {
    loop {
        sleep(IDLE / 2).await;
        let Some(lines) = lines.upgrade() else { return };
        let mut waiting = lines.lock();
        waiting.idle.retain(|idle| idle.since.elapsed() < IDLE && idle.is_open());
        waiting.is_watched = !waiting.idle.is_empty();
        if !waiting.is_watched {
            return;
        }
    }
}

/// Sends a request and waits for the head of its answer.
pub(super) async fn ask(
    mut socket: TcpStream,
    lines: &Arc<Lines>,
    (head, body): (Parts, Bytes),
) -> Result<Response<Arriving>, io::Error> {
    let (written, mut call) = write(head, body.len())?;
    let is_heard = send(&mut socket, written, body).await;
    let mut came = BytesMut::with_capacity(READ_BYTES / 2);
    let response = loop {
        if socket.read_buf(&mut came).await? == 0 || came.len() > HEAD_BYTES_MAX {
            return Err(broken("the head of the answer is missing or too long"));
        }
        let response = loop {
            let (used, response) = call.try_response(&came, false).map_err(broken)?;
            came.advance(used);
            // A word in between, as 100 is, may have the answer behind it.
            if response.is_some() || used == 0 {
                break response;
            }
        };
        if let Some(response) = response {
            break response;
        }
    };
    let lines = is_heard.then(|| Arc::clone(lines));
    // Without a body the line is hung up: models never answer so.
    let mut arriving = Arriving::default();
    if let Some(RecvResponseResult::RecvBody(call)) = call.proceed() {
        arriving.open = Some(Open::new(Line { socket, lines }, call));
        arriving.first = arriving.read(&came)?;
    }
    Ok(response.map(|()| arriving))
}

/// What came is no answer.
fn broken(why: impl Into<Box<dyn Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The head of a request as it is sent.
fn write(mut head: Parts, length: usize) -> Result<(Vec<u8>, Call<RecvResponse>), io::Error> {
    // The body is here already.
    head.headers.remove(EXPECT);
    head.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let headers = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    let path = head.uri.path_and_query().map_or(1, |path| path.as_str().len());
    let mut written = vec![0; headers.sum::<usize>() + path + 64];
    let mut call = Call::new(Request::from_parts(head, ())).map_err(broken)?.proceed();
    let used = call.write(&mut written).map_err(broken)?;
    written.truncate(used);
    let call = match call.proceed().map_err(broken)? {
        Some(SendRequestResult::SendBody(mut call)) => {
            call.consume_direct_write(length).map_err(broken)?;
            call.proceed()
        }
        Some(SendRequestResult::RecvResponse(call)) => Some(call),
        Some(SendRequestResult::Await100(_)) | None => None,
    };
    Ok((written, call.ok_or_else(|| broken("the request cannot be written"))?))
}

/// Whether the server took all of it. One that answers before does not want the rest, and one that hung up may
/// have said why.
async fn send(socket: &mut TcpStream, head: Vec<u8>, body: Bytes) -> bool {
    let mut whole = Bytes::from(head).chain(body);
    let (ear, mut mouth) = socket.split();
    tokio::select! {
        biased;
        sent = mouth.write_all_buf(&mut whole) => sent.is_ok(),
        _ = ear.readable() => false,
    }
}

/// A connection in use.
struct Line {
    socket: TcpStream,
    /// Where it goes when the answer is over; `None` where it cannot be used again.
    lines: Option<Arc<Lines>>,
}

/// The body of an answer, read from its line as far as it is asked for.
#[derive(Default)]
pub(crate) struct Arriving {
    /// What came with the head.
    first: Bytes,
    open: Option<Open>,
}

/// A body that is not over.
struct Open {
    line: Line,
    call: Box<Call<RecvBody>>,
    /// Whether it is over when the line is closed.
    is_until_close: bool,
    /// The start of a mark between parts, which cannot be read alone.
    rest: Vec<u8>,
}

impl Arriving {
    /// What these bytes bring of the body. The line is given back as soon as it is over.
    fn read(&mut self, bytes: &[u8]) -> Result<Bytes, io::Error> {
        let Some(mut open) = self.open.take() else { return Ok(Bytes::new()) };
        let body = open.read(bytes)?;
        match open.call.can_proceed() && !open.is_until_close {
            true => open.end(),
            false => self.open = Some(open),
        }
        Ok(body)
    }

    /// The line was closed, which is the end of some bodies.
    fn close(&mut self) -> Result<(), io::Error> {
        let is_whole =
            self.open.take().is_none_or(|open| open.is_until_close || open.call.is_ended_chunked());
        if is_whole { Ok(()) } else { Err(broken("the answer broke off")) }
    }
}

impl Open {
    fn new(line: Line, call: Call<RecvBody>) -> Self {
        let is_until_close = call.body_mode() == BodyMode::CloseDelimited;
        Self { line, call: Box::new(call), is_until_close, rest: Vec::new() }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<Bytes, io::Error> {
        let rest = std::mem::take(&mut self.rest);
        let joined = match rest.is_empty() {
            true => Cow::Borrowed(bytes),
            false => Cow::Owned([&rest, bytes].concat()),
        };
        let mut body = vec![0; joined.len()];
        let (used, made) = self.call.read(&joined, &mut body).map_err(broken)?;
        body.truncate(made);
        self.rest = joined.get(used..).unwrap_or_default().to_vec();
        if self.rest.len() > HEAD_BYTES_MAX {
            return Err(broken("the answer is in parts that cannot be read"));
        }
        Ok(body.into())
    }

    /// The body is over.
    fn end(self) {
        let must_close = match self.call.proceed() {
            Some(RecvBodyResult::Cleanup(call)) => call.must_close_connection(),
            Some(RecvBodyResult::Redirect(call)) => call.must_close_connection(),
            None => true,
        };
        // What stands behind the end is nothing that was asked for.
        if let Some(lines) = self.line.lines.filter(|_| self.rest.is_empty() && !must_close) {
            lines.put_back(self.line.socket);
        }
    }
}

impl http_body::Body for Arriving {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = self.get_mut();
        let mut body = std::mem::take(&mut this.first);
        while body.is_empty() {
            let Some(open) = &mut this.open else { return Poll::Ready(None) };
            let mut place = [MaybeUninit::uninit(); READ_BYTES];
            let mut came = ReadBuf::uninit(&mut place);
            ready!(Pin::new(&mut open.line.socket).poll_read(context, &mut came))?;
            body = match came.filled() {
                [] => this.close().map(|()| Bytes::new())?,
                bytes => this.read(bytes)?,
            };
        }
        Poll::Ready(Some(Ok(Frame::data(body))))
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_empty() && self.open.is_none()
    }
}
