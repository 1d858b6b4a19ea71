//! What is done with one request.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, UPGRADE,
};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use toolmend::{Mode, ProxySettings};
use toolmend_wire::{
    Api, Blame, Envelope, Next, Options, Relay, Reply, WireCall, error_body, error_message,
    reply_of, stream_of,
};

use crate::App;
use crate::body::{Body, Halted, collect, full, passed};
use crate::exchange::{Context, Recorder, TurnMender, mined_turn, prepare, wire};
use crate::headers::{Credentials, detached, strip_hop_by_hop};
use crate::reach::ServerFailure;
use crate::recover::Asker;
use crate::relay::{Ending, Stream, Watch};
use crate::route;
use crate::unpack::{is_packed, opened};
use crate::upstream::{Server, Unanswered};
use crate::who::{HEADER, introduced};

/// The header that names the report of a reply, as events and captures do.
const REPORT_HEADER: &str = "x-toolmend-report";
/// An error is looked at up to this size.
const ERROR_BYTES_MAX: usize = 4 << 20;
/// A whole reply is mended up to this size.
pub(crate) const REPLY_BYTES_MAX: usize = 64 << 20;

/// Something that this proxy itself has to say.
pub(crate) struct Refused {
    status: StatusCode,
    message: String,
}

fn refused(status: StatusCode, message: impl Into<String>) -> Refused {
    Refused { status, message: message.into() }
}

/// Answers a request.
pub(crate) async fn handle(app: Arc<App>, request: Request<Incoming>) -> Response<Body> {
    let api = route::api(request.method(), request.uri().path());
    // On its own, so that it is not copied where it is waited for.
    let answer = Box::pin(answer(&app, api, request));
    let answered = tokio::select! {
        answered = answer => answered,
        () = app.ended() => Err(refused(StatusCode::SERVICE_UNAVAILABLE, "the proxy was stopped")),
    };
    match answered {
        Ok(response) => response,
        Err(refused) => {
            tracing::warn!(target: "toolmend_proxy", status = refused.status.as_u16(), "{}", refused.message);
            let blame = match refused.status {
                StatusCode::UNAUTHORIZED => Blame::Key,
                status if status.is_client_error() => Blame::Request,
                _ => Blame::Server,
            };
            let body = error_body(api.unwrap_or(Api::Chat), blame, &refused.message);
            let mut response = Response::new(full(body));
            *response.status_mut() = refused.status;
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
            response
        }
    }
}

async fn answer(
    app: &Arc<App>,
    api: Option<Api>,
    mut request: Request<Incoming>,
) -> Result<Response<Body>, Refused> {
    if app.key.as_ref().is_some_and(|key| !key.is_shown(request.headers())) {
        return Err(refused(StatusCode::UNAUTHORIZED, "the key of this proxy is missing or wrong"));
    }
    if let Some(response) = introduced(app, request.headers()) {
        return Ok(response);
    }
    if request.headers().contains_key(UPGRADE)
        && request.headers().contains_key("sec-websocket-key")
    {
        let message = "this proxy speaks no websockets; use the streaming HTTP API";
        return Err(refused(StatusCode::NOT_IMPLEMENTED, message));
    }
    let mode = mode(app, request.headers_mut())?;
    match api.filter(|_| mode != Mode::Off) {
        Some(api) => understood(app, api, mode, request).await,
        None => {
            let (mut head, body) = request.into_parts();
            let server = aim(app, "", &mut head)?;
            let request = Request::from_parts(head, passed(body));
            answered(app, server, timeout(app.head_wait(), app.sender.send(request)).await)
        }
    }
}

/// The mode of this request: its own header goes over the settings.
fn mode(app: &App, headers: &mut HeaderMap) -> Result<Mode, Refused> {
    let Some(value) = headers.remove(HEADER) else { return Ok(app.settings.proxy.mode) };
    let mode = value.to_str().ok().and_then(|word| Mode::read(word.trim()));
    mode.ok_or_else(|| {
        refused(StatusCode::BAD_REQUEST, "the header x-toolmend is on, observe or off")
    })
}

/// A request of an API that is understood.
async fn understood(
    app: &Arc<App>,
    api: Api,
    mode: Mode,
    request: Request<Incoming>,
) -> Result<Response<Body>, Refused> {
    let (mut head, body) = request.into_parts();
    let body = read(body, &app.settings.proxy).await?;
    let prepared = prepare(api, &body, &app.settings);
    let model = prepared.as_ref().map(|prepared| prepared.context.model.clone());
    // Who offers `functions` reads `function_call` alone, and a call in today's form would be lost on them.
    let prepared = prepared.filter(|prepared| !prepared.is_legacy);
    let up = match (&prepared, mode) {
        (Some(prepared), Mode::On) => {
            prepared.body.clone().map_or_else(|| body.clone(), Bytes::from)
        }
        _ => body,
    };
    let up = match mode {
        Mode::On => app.notes.tell(api, &up).map_or(up, Bytes::from),
        _ => up,
    };
    // What comes back must be read, so it must not be packed.
    head.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    head.headers.remove(CONTENT_LENGTH);
    let server = aim(app, model.as_deref().unwrap_or_default(), &mut head)?;
    let head = detached(head);
    let response = send_whole(app, server, (&head, &up)).await?;
    let Some(prepared) = prepared else { return Ok(response) };
    let response = if mode == Mode::On { opened(response) } else { response };
    if is_packed(response.headers()) {
        return Ok(response);
    }
    let context = prepared.context;
    // Several choices are several turns, and only one can be gone on with.
    let may_ask = mode == Mode::On && context.offers_tools() && prepared.choices == 1;
    let (is_stream, id) = (prepared.is_stream, app.next_id());
    let named = || (api, id.clone());
    let asker = may_ask.then(|| Arc::new(Asker::new(app, named(), (head, up), &context)));
    let report = HeaderValue::from_str(&id).ok().filter(|_| mode == Mode::On);
    let exchange = Exchange { app: Arc::clone(app), api, mode, context, asker, is_stream, id };
    let mut response = match (response.status(), kind(response.headers())) {
        (StatusCode::OK, Kind::Stream) => exchange.stream(response),
        (StatusCode::OK, Kind::Whole) => exchange.whole(response).await?,
        (status, Kind::Whole) if status.is_server_error() || status.is_client_error() => {
            exchange.failed(response).await?
        }
        _ => return Ok(response),
    };
    if let Some(report) = report {
        response.headers_mut().insert(REPORT_HEADER, report);
    }
    Ok(response)
}

async fn read(body: Incoming, settings: &ProxySettings) -> Result<Bytes, Refused> {
    let bytes_max = settings.body_bytes_max;
    match collect(body, bytes_max, Duration::from_secs(settings.header_seconds)).await {
        // It is kept as long as a stream lasts, and must not keep what its connection read with it.
        Ok(body) => Ok(Bytes::copy_from_slice(&body)),
        Err(Halted::TooLarge) => {
            let message = format!("the request is larger than {bytes_max} bytes");
            Err(refused(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(Halted::Late) => {
            Err(refused(StatusCode::REQUEST_TIMEOUT, "the rest of the request did not come"))
        }
        Err(Halted::Broken) => Err(refused(StatusCode::BAD_REQUEST, "the request broke off")),
    }
}

/// Sends a request whose body is at hand.
pub(crate) async fn send_whole(
    app: &App,
    server: &Server,
    request: (&Parts, &Bytes),
) -> Result<Response<Body>, Refused> {
    answered(app, server, timeout(app.head_wait(), app.sender.send_whole(server, request)).await)
}

/// Points the head of a request at the server of a model, with the keys that it gets to see.
fn aim<'a>(app: &'a App, model: &str, head: &mut Parts) -> Result<&'a Server, Refused> {
    let server = app.servers.of(model);
    let uri = server.uri(&head.uri);
    head.uri = uri.ok_or_else(|| refused(StatusCode::BAD_REQUEST, "the path cannot be sent on"))?;
    head.version = http::Version::HTTP_11;
    strip_hop_by_hop(&mut head.headers);
    if let Some(key) = &app.key {
        key.take_out(&mut head.headers);
    }
    match app.servers.is_default(server) {
        true => app.credentials.apply(&mut head.headers),
        false => Credentials::Passed.apply(&mut head.headers),
    }
    if let Ok(host) = HeaderValue::from_str(server.host().as_str()) {
        head.headers.insert(HOST, host);
    }
    Ok(server)
}

/// What came of a request that was sent up, if the head of its answer came in time.
fn answered(
    app: &App,
    server: &Server,
    sent: Result<Result<Response<Body>, Unanswered>, Elapsed>,
) -> Result<Response<Body>, Refused> {
    let (host, reach) = (server.host(), &app.sinks.reach);
    match sent {
        Ok(Ok(mut response)) => {
            reach.answers(server);
            strip_hop_by_hop(response.headers_mut());
            Ok(response)
        }
        Ok(Err(Unanswered::Unreachable)) => {
            reach.fails(server, ServerFailure::Unreachable);
            let message = format!("the model server at {host} cannot be reached");
            Err(refused(StatusCode::BAD_GATEWAY, message))
        }
        Ok(Err(Unanswered::Unsendable)) => {
            Err(refused(StatusCode::BAD_REQUEST, "the headers of the request cannot be sent on"))
        }
        Ok(Err(Unanswered::Silent | Unanswered::Broken)) => {
            reach.fails(server, ServerFailure::BrokeOff);
            let message = format!("the model server at {host} broke off");
            Err(refused(StatusCode::BAD_GATEWAY, message))
        }
        Err(_) => {
            reach.fails(server, ServerFailure::Late);
            let message = format!("the model server at {host} did not answer in time");
            Err(refused(StatusCode::GATEWAY_TIMEOUT, message))
        }
    }
}

/// What a reply is.
enum Kind {
    Stream,
    Whole,
    Other,
}

fn kind(headers: &HeaderMap) -> Kind {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind {
        "text/event-stream" | "application/x-ndjson" => Kind::Stream,
        "application/json" => Kind::Whole,
        _ => Kind::Other,
    }
}

/// A reply on its way down.
struct Exchange {
    app: Arc<App>,
    api: Api,
    mode: Mode,
    context: Arc<Context>,
    /// Asks the server again; `None` where nothing may be asked.
    asker: Option<Arc<Asker>>,
    /// Whether the client wants a stream.
    is_stream: bool,
    /// What the reply is called in headers, events and ids that are made.
    id: String,
}

impl Exchange {
    fn recorder(&self) -> Arc<Recorder> {
        let sinks = Arc::clone(&self.app.sinks);
        Arc::new(Recorder::new(Arc::clone(&self.context), self.api, sinks))
    }

    /// A mender for one choice.
    fn mender(&self, seed: &str, choice: usize, recorder: &Arc<Recorder>) -> TurnMender {
        let id = format!("{seed}-{choice}");
        let mender = TurnMender::new(Arc::clone(&self.context), &id, Arc::clone(recorder));
        match self.asker.as_ref().filter(|_| choice == 0) {
            Some(asker) => mender.with_recovery(asker.recovery()),
            None => mender,
        }
    }

    fn stream(self, response: Response<Body>) -> Response<Body> {
        let (head, body) = response.into_parts();
        let recorder = self.recorder();
        let (seed, id) = (self.id.clone(), self.id.clone());
        let watch = if self.mode == Mode::On { Watch::Mend } else { Watch::Observe };
        let bytes_max = self.app.settings.proxy.stream_bytes_max;
        let limits: (usize, Duration, Ending) =
            (bytes_max, self.app.idle_wait(), Box::pin(self.app.ended()));
        let (framing, asker, told) =
            (self.api.framing(), self.asker.clone(), Arc::clone(&recorder));
        let relay = Relay::new(self.api, Options::default(), move |choice| {
            self.mender(&seed, choice, &told)
        });
        let stream = Stream::new(body, relay, (framing, watch), (recorder, id), asker, limits);
        let mut response = Response::from_parts(head, passed(stream));
        if watch == Watch::Mend {
            response.headers_mut().remove(CONTENT_LENGTH);
        }
        response
    }

    async fn whole(self, response: Response<Body>) -> Result<Response<Body>, Refused> {
        let (mut head, body) = response.into_parts();
        let body = collect(body, REPLY_BYTES_MAX, self.app.idle_wait()).await;
        let body = body.map_err(|halted| self.halted(halted))?;
        let recorder = self.recorder();
        let mended = self.mend(&body, &recorder).await;
        let tally = recorder.tally();
        let out = match mended.filter(|_| self.mode == Mode::On) {
            Some(text) => Bytes::from(text),
            None => body,
        };
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(out.len()));
        if self.mode == Mode::On
            && let Ok(value) = HeaderValue::from_str(&tally.header())
        {
            head.headers.insert(HEADER, value);
        }
        Ok(Response::from_parts(head, full(out)))
    }

    /// What is said of a reply that is not whole.
    fn halted(&self, halted: Halted) -> Refused {
        let failure = match halted {
            Halted::TooLarge => None,
            Halted::Late => Some(ServerFailure::Late),
            Halted::Broken => Some(ServerFailure::BrokeOff),
        };
        if let Some(failure) = failure {
            self.app.sinks.reach.count(failure);
        }
        refused(StatusCode::BAD_GATEWAY, "the reply broke off or is too large")
    }

    /// The reply, mended; `None` where it is nothing that can be read.
    async fn mend(&self, body: &[u8], recorder: &Arc<Recorder>) -> Option<String> {
        let mut reply = Reply::read(self.api, body)?;
        let seed = &self.id;
        for choice in 0..reply.choices() {
            let mut mender = self.mender(seed, choice, recorder);
            let next = reply.mend(choice, &mut mender);
            if let (Next::Wait, Some(inquiry), Some(asker)) =
                (next, mender.take_inquiry(), &self.asker)
            {
                mender.settle(Arc::clone(asker).run(inquiry, reply.usage()).await);
                let _ = reply.mend(choice, &mut mender);
            }
        }
        Some(reply.write())
    }

    /// An error: some servers quote in it what the model wrote and they could not read.
    async fn failed(self, response: Response<Body>) -> Result<Response<Body>, Refused> {
        let (head, body) = response.into_parts();
        let body = collect(body, ERROR_BYTES_MAX, self.app.idle_wait()).await;
        let Ok(body) = body else {
            let message = "the error of the model server broke off";
            return Err(refused(StatusCode::BAD_GATEWAY, message));
        };
        let message = error_message(&body).unwrap_or_default();
        let turn = mined_turn(&self.context.request(), &message);
        let Some(turn) = turn else { return Ok(Response::from_parts(head, full(body))) };
        self.recorder().take(&turn);
        if self.mode != Mode::On {
            return Ok(Response::from_parts(head, full(body)));
        }
        let envelope = Envelope {
            id: format!("toolmend-{}", self.id),
            model: self.context.model.clone(),
            ..Envelope::default()
        };
        let calls: Vec<WireCall> = turn.calls.iter().map(wire).collect();
        let (kind, body) = match self.is_stream {
            true => (self.api.framing().content_type(), stream_of(self.api, &envelope, &calls)),
            false => ("application/json", reply_of(self.api, &envelope, &calls).into_bytes()),
        };
        let mut response = Response::new(full(body));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        Ok(response)
    }
}
