//! Sends requests, and takes the time.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::Effort;
use super::contender::Contender;
use super::measured::{Idle, Round, at_share, median};
use super::model::{CHUNKS, HOLD, PLAIN, STREAM, is_stream, last_word};

/// What a request offers, and what was said before.
pub(super) const TOOLS: usize = 3;
pub(super) const MESSAGES: usize = 5;
/// So many clients send at once.
const CLIENTS: usize = 16;
/// So much the system takes for a client without room.
const ROOM_BYTES: usize = 16 << 10;
/// So many first chunks are waited for in a round.
const FIRST_CHUNKS: usize = 40;

pub(super) type Failure = Box<dyn Error + Send + Sync>;
pub(super) type Sender = Client<HttpConnector, Full<Bytes>>;

fn request(model: &str, tools: usize, messages: usize) -> String {
    said_in(model, tools, messages, "Is there a ferry at noon, and when does the next one leave? ")
}

fn said_in(model: &str, tools: usize, messages: usize, said: &str) -> String {
    let tool = |number: usize| {
        json!({"type": "function", "function": {"name": format!("find_route_{number}"),
        "description": "Finds the way from one pier to another, with the ferries that leave that day.",
        "parameters": {"type": "object", "required": ["to"], "properties": {
            "to": {"type": "string", "description": "The pier."}, "stops": {"type": "integer"}}}}})
    };
    let message = |number: usize| {
        let role = if number.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": said.repeat(3)})
    };
    let tools: Vec<Value> = (0..tools).map(tool).collect();
    let messages: Vec<Value> = (0..messages).map(message).collect();
    json!({"model": model, "stream": is_stream(model), "messages": messages, "tools": tools})
        .to_string()
}

/// A request of the usual size.
pub(super) fn usual_request(model: &str) -> Bytes {
    Bytes::from(request(model, TOOLS, MESSAGES))
}

/// What clients send.
#[derive(Clone, Debug)]
pub(super) enum Load {
    /// The same each time.
    Same(Bytes),
    /// Conversations with this model, each of its own: a question, then that, its answer and the next one, and so on.
    Talks(&'static str),
}

/// So many questions has a conversation.
const QUESTIONS: usize = 10;
/// How many conversations there were.
static TALKS: AtomicUsize = AtomicUsize::new(0);

impl Load {
    /// What one client sends, one after the other.
    fn requests(self) -> impl FnMut() -> Bytes {
        let (mut talk, mut asked) = (0, QUESTIONS);
        move || match &self {
            Self::Same(body) => body.clone(),
            Self::Talks(model) => {
                if asked == QUESTIONS {
                    (talk, asked) = (TALKS.fetch_add(1, Ordering::Relaxed), 0);
                }
                asked += 1;
                let said =
                    format!("Is there a ferry at noon to pier {talk}, and when is the next? ");
                Bytes::from(said_in(model, TOOLS, 2 * asked - 1, &said))
            }
        }
    }
}

/// As large as what an agent sends after a while.
pub(super) fn large_request() -> String {
    request(PLAIN, 12, 120)
}

pub(super) fn client() -> Sender {
    connected(HttpConnector::new())
}

/// A client for which the system reads little ahead. For one that is to read slowly it would else read
/// megabytes.
pub(super) fn client_without_room() -> Sender {
    let mut connector = HttpConnector::new();
    connector.set_recv_buffer_size(Some(ROOM_BYTES));
    connected(connector)
}

fn connected(mut connector: HttpConnector) -> Sender {
    connector.set_nodelay(true);
    Client::builder(TokioExecutor::new()).build(connector)
}

/// Sends a request, whatever comes of it.
pub(super) async fn try_send(
    client: &Sender,
    address: &str,
    body: Bytes,
) -> Result<Response<Incoming>, Failure> {
    let request = Request::post(format!("http://{address}/v1/chat/completions"))
        .header("content-type", "application/json")
        .header("authorization", "Bearer none")
        .body(Full::new(body))?;
    Ok(client.request(request).await?)
}

/// Sends a request that has to be answered.
pub(super) async fn send(
    client: &Sender,
    address: &str,
    body: Bytes,
) -> Result<Response<Incoming>, Failure> {
    let response = try_send(client, address, body).await?;
    match response.status().is_success() {
        true => Ok(response),
        false => Err(format!("{address} said {}", response.status()).into()),
    }
}

async fn send_whole(client: &Sender, address: &str, body: Bytes) -> Result<Bytes, Failure> {
    let response = send(client, address, body).await?;
    Ok(response.into_body().collect().await?.to_bytes())
}

/// Measures one contender once.
pub(super) async fn round(contender: &Contender, effort: Effort) -> Result<Round, Failure> {
    let client = client();
    let (plain, large) =
        (Bytes::from(request(PLAIN, TOOLS, MESSAGES)), Bytes::from(large_request()));
    let mut times = Vec::new();
    for _ in 0..effort.single {
        let started = Instant::now();
        send_whole(&client, &contender.address, plain.clone()).await?;
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    let (rate, request_cpu_us) = busy(contender, Load::Same(plain), effort.busy).await?;
    let (_, large_cpu_us) = busy(contender, Load::Same(large), effort.busy / 2).await?;
    Ok(Round {
        p50_us: median(&times),
        p99_us: at_share(&times, 0.99),
        first_chunk_us: first_chunk(contender).await?,
        rate,
        request_cpu_us,
        large_cpu_us,
        chunk_cpu_us: chunk_cpu(contender, effort.streams).await?,
    })
}

/// Sends at once for so long. Requests per second, and the processor's time of each.
pub(super) async fn busy(
    contender: &Contender,
    load: Load,
    long: Duration,
) -> Result<(f64, f64), Failure> {
    let (client, done) = (client(), Arc::new(AtomicUsize::new(0)));
    let (started, before) = (Instant::now(), contender.cpu_us());
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (client, done, mut next) = (client.clone(), Arc::clone(&done), load.clone().requests());
        let address = contender.address.clone();
        clients.spawn(async move {
            while started.elapsed() < long {
                send_whole(&client, &address, next()).await?;
                done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, Failure>(())
        });
    }
    while let Some(ended) = clients.join_next().await {
        ended??;
    }
    let done = done.load(Ordering::Relaxed).max(1) as f64;
    Ok((done / started.elapsed().as_secs_f64(), (contender.cpu_us() - before) / done))
}

async fn first_chunk(contender: &Contender) -> Result<f64, Failure> {
    let client = client();
    let body = Bytes::from(request(HOLD, TOOLS, MESSAGES));
    let mut times = Vec::new();
    for _ in 0..FIRST_CHUNKS {
        let started = Instant::now();
        let mut response = send(&client, &contender.address, body.clone()).await?;
        while let Some(frame) = response.frame().await {
            if frame?.data_ref().is_some_and(|data| !data.is_empty()) {
                break;
            }
        }
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(&times))
}

/// The processor's time of one chunk, with several streams at once; none where they do not come to their end.
async fn chunk_cpu(contender: &Contender, streams: usize) -> Result<Option<f64>, Failure> {
    let (client, body) = (client(), Bytes::from(request(STREAM, TOOLS, MESSAGES)));
    // Connections are there already, as they are for an agent at work.
    let before = contender.cpu_us();
    let mut all = JoinSet::new();
    for _ in 0..streams {
        let (client, body) = (client.clone(), body.clone());
        let address = contender.address.clone();
        all.spawn(async move { send_whole(&client, &address, body).await });
    }
    let (last, mut are_whole) = (last_word(), true);
    while let Some(ended) = all.join_next().await {
        are_whole &= String::from_utf8_lossy(&ended??).contains(&last);
    }
    let cpu_us = (contender.cpu_us() - before) / (streams * CHUNKS) as f64;
    Ok(are_whole.then_some(cpu_us))
}

/// The memory at rest, and with streams that are held open.
pub(super) async fn idle(contender: &Contender, effort: Effort) -> Idle {
    tokio::time::sleep(Duration::from_millis(500)).await;
    let at_rest = contender.resident_kb();
    let held = hold(contender, effort.idle).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let grown = contender.resident_kb() - at_rest;
    if let Err(reason) = &held {
        eprintln!("{}: no idle streams ({reason})", contender.name);
    }
    let per_stream_kb = held.ok().map(|open| grown / open.len().max(1) as f64);
    Idle { at_rest_mb: at_rest / 1024.0, per_stream_kb }
}

/// Opens streams that have begun.
async fn hold(contender: &Contender, count: usize) -> Result<Vec<Response<Incoming>>, Failure> {
    let (client, body) = (client(), Bytes::from(request(HOLD, TOOLS, MESSAGES)));
    let mut open = Vec::new();
    for _ in 0..count {
        let mut response = send(&client, &contender.address, body.clone()).await?;
        response.frame().await.ok_or("a stream that ends at once")??;
        open.push(response);
    }
    Ok(open)
}
