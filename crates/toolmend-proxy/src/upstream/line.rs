//! Connections to servers that are spoken to without TLS, as those on the same machine are. Each is read where its
//! stream is answered: nothing stands between the two but the bytes themselves, and an open stream that is silent
//! keeps no buffers.

use std::borrow::Cow;
use std::future::poll_fn;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::buf::Chain;
use bytes::{Buf as _, Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, EXPECT, HeaderValue};
use http::request::Parts;
use http::{Request, Response};
use http_body::Frame;
use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};
use tokio_util::io::poll_write_buf;
use ureq_proto::BodyMode;
use ureq_proto::client::state::{RecvBody, RecvResponse};
use ureq_proto::client::{Call, RecvBodyResult, RecvResponseResult, SendRequestResult};

use super::Unanswered;

/// The head of an answer may be this long.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// And this what stands between two parts of its body.
const MARK_BYTES_MAX: usize = 8 * 1024;
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
        let mut idle = std::iter::from_fn(|| waiting.idle.pop());
        idle.find(|idle| idle.since.elapsed() < IDLE && idle.is_open()).map(|idle| idle.socket)
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
    socket: TcpStream,
    lines: &Arc<Lines>,
    (head, body): (Parts, Bytes),
) -> Result<Response<Arriving>, Unanswered> {
    let (written, mut call) = write(head, body.len()).ok_or(Unanswered::Unsendable)?;
    let unsent = written.chain(body);
    let mut line = Line { socket, lines: Some(Arc::clone(lines)), unsent };
    let mut came = BytesMut::new();
    let response = loop {
        let known = came.len();
        let more = poll_fn(|context| line.poll_more(context, &mut came)).await;
        if more.is_err() || came.len() == known {
            return Err(if known == 0 { Unanswered::Silent } else { Unanswered::Broken });
        }
        if let Some(response) = response_in(&mut call, &mut came)? {
            break response;
        }
        if came.len() > HEAD_BYTES_MAX {
            return Err(Unanswered::Broken);
        }
    };
    // Who refuses a request does not want the rest of it.
    if response.status().is_client_error() || response.status().is_server_error() {
        line.stop_sending();
    }
    // Without a body the line is hung up: models never answer so.
    let mut arriving = Arriving::default();
    if let Some(RecvResponseResult::RecvBody(call)) = call.proceed() {
        arriving.open = Some(Open::new(line, call));
        if !came.is_empty() {
            arriving.take(&came);
        }
    }
    Ok(response.map(|()| arriving))
}

/// How the word in between begins that may have headers of its own.
const CONTINUE: &[u8] = b"HTTP/1.1 100 ";

/// The head of the answer, once it is there. What is said before it is passed over.
fn response_in(
    call: &mut Call<RecvResponse>,
    came: &mut BytesMut,
) -> Result<Option<Response<()>>, Unanswered> {
    loop {
        if came.starts_with(CONTINUE) {
            let end = came.windows(4).position(|bytes| bytes == b"\r\n\r\n");
            let Some(end) = end else { return Ok(None) };
            came.advance(end + 4);
            continue;
        }
        let told = call.try_response(came, false);
        let (used, response) = told.map_err(|_| Unanswered::Broken)?;
        came.advance(used);
        if response.is_some() || used == 0 {
            return Ok(response);
        }
    }
}

/// The head of a request as it is sent; `None` where it is none.
fn write(mut head: Parts, length: usize) -> Option<(Bytes, Call<RecvResponse>)> {
    // The body is here already.
    head.headers.remove(EXPECT);
    head.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    let headers = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    let path = head.uri.path_and_query().map_or(1, |path| path.as_str().len());
    let mut written = vec![0; headers.sum::<usize>() + path + 64];
    let mut call = Call::new(Request::from_parts(head, ())).ok()?.proceed();
    let used = call.write(&mut written).ok()?;
    written.truncate(used);
    let call = match call.proceed().ok()?? {
        SendRequestResult::SendBody(mut call) => {
            call.consume_direct_write(length).ok()?;
            call.proceed()?
        }
        SendRequestResult::RecvResponse(call) => call,
        SendRequestResult::Await100(_) => return None,
    };
    Some((written.into(), call))
}

/// A connection in use.
struct Line {
    socket: TcpStream,
    /// Where it goes when the answer is over; `None` where it cannot be used again.
    lines: Option<Arc<Lines>>,
    /// What the server did not take yet of the request. It may answer before it has all of it.
    unsent: Chain<Bytes, Bytes>,
}

impl Line {
    /// Sends what the server takes, and waits for what comes next: nothing where the line was closed.
    fn poll(&mut self, context: &mut Context<'_>, came: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.poll_send(context);
        Pin::new(&mut self.socket).poll_read(context, came)
    }

    /// The same, with what comes added to what came.
    fn poll_more(&mut self, context: &mut Context<'_>, all: &mut BytesMut) -> Poll<io::Result<()>> {
        let mut place = [MaybeUninit::uninit(); READ_BYTES];
        let mut came = ReadBuf::uninit(&mut place);
        ready!(self.poll(context, &mut came))?;
        all.extend_from_slice(came.filled());
        Poll::Ready(Ok(()))
    }

    fn poll_send(&mut self, context: &mut Context<'_>) {
        while self.unsent.has_remaining() {
            match poll_write_buf(Pin::new(&mut self.socket), context, &mut self.unsent) {
                Poll::Ready(Ok(1..)) => {}
                // It hung up, and may have said why.
                Poll::Ready(_) => self.stop_sending(),
                Poll::Pending => return,
            }
        }
    }

    /// Leaves the rest of the request unsent, if there is one; then the line is of no further use.
    fn stop_sending(&mut self) {
        if self.unsent.has_remaining() {
            self.unsent = Bytes::new().chain(Bytes::new());
            self.lines = None;
        }
    }
}

/// The body of an answer, read from its line as far as it is asked for.
#[derive(Default)]
pub(crate) struct Arriving {
    /// What was read and not given on yet.
    body: Bytes,
    open: Option<Open>,
    /// What is wrong behind that.
    fault: Option<&'static str>,
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
    /// Reads what came. The line is given back as soon as the body is over; without bytes it was closed, which
    /// is the end of some bodies.
    fn take(&mut self, bytes: &[u8]) {
        let Some(mut open) = self.open.take() else { return };
        let (body, is_right) = open.read(bytes);
        self.body = body;
        let is_over = open.call.can_proceed() && !open.is_until_close;
        let is_closed = bytes.is_empty();
        if !is_right {
            self.fault = Some("the answer is in parts that cannot be read");
        } else if is_over {
            open.end();
        } else if !is_closed {
            self.open = Some(open);
        } else if !open.is_until_close && !open.call.is_ended_chunked() {
            self.fault = Some("the answer broke off");
        }
    }
}

impl Open {
    fn new(line: Line, mut call: Call<RecvBody>) -> Self {
        // Otherwise a part that is wrong takes along those before it.
        call.stop_on_chunk_boundary(true);
        let is_until_close = call.body_mode() == BodyMode::CloseDelimited;
        Self { line, call: Box::new(call), is_until_close, rest: Vec::new() }
    }

    /// What these bytes bring of the body, and whether they are what they should be.
    fn read(&mut self, bytes: &[u8]) -> (Bytes, bool) {
        let rest = std::mem::take(&mut self.rest);
        let joined = match rest.is_empty() {
            true => Cow::Borrowed(bytes),
            false => Cow::Owned([&rest, bytes].concat()),
        };
        let mut body = vec![0; joined.len()];
        let (mut used, mut made) = (0, 0);
        let is_right = loop {
            let from = joined.get(used..).unwrap_or_default();
            match self.call.read(from, body.get_mut(made..).unwrap_or_default()) {
                Ok((0, _)) => break true,
                Ok(more) => (used, made) = (used + more.0, made + more.1),
                Err(_) => break false,
            }
        };
        body.truncate(made);
        self.rest = joined.get(used..).unwrap_or_default().to_vec();
        (body.into(), is_right && self.rest.len() <= MARK_BYTES_MAX)
    }

    /// The body is over.
    fn end(self) {
        let must_close = match self.call.proceed() {
            Some(RecvBodyResult::Cleanup(call)) => call.must_close_connection(),
            Some(RecvBodyResult::Redirect(call)) => call.must_close_connection(),
            None => true,
        };
        // What stands behind the end is nothing that was asked for.
        let is_clean = self.rest.is_empty() && !self.line.unsent.has_remaining() && !must_close;
        if let Some(lines) = self.line.lines.filter(|_| is_clean) {
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
        while this.body.is_empty() {
            if let Some(fault) = this.fault.take() {
                return Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::InvalidData, fault))));
            }
            let Some(open) = &mut this.open else { return Poll::Ready(None) };
            let mut place = [MaybeUninit::uninit(); READ_BYTES];
            let mut came = ReadBuf::uninit(&mut place);
            ready!(open.line.poll(context, &mut came))?;
            this.take(came.filled());
        }
        Poll::Ready(Some(Ok(Frame::data(std::mem::take(&mut this.body)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_empty() && self.open.is_none() && self.fault.is_none()
    }
}
