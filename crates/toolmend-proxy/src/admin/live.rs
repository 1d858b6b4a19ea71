//! Calls as they come, as server-sent events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use http_body::Frame;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use toolmend_store::{CallRow, Filter, Store};

use super::Desk;
use super::answer::{with_body, wrong};
use super::api::row_value;
use super::query::Query;
use crate::body::{Body, BoxError, passed};

/// Calls are told in bundles, so that a page has time to draw.
const BUNDLE: Duration = Duration::from_millis(200);
/// Other proxies that share the store are not heard; it is looked anyway after this long.
const LOOK_AFTER: Duration = Duration::from_secs(3);
/// A browser that lost the connection tries again after so many milliseconds.
const AGAIN_MS: u32 = 1000;
/// A bundle has no more calls than this.
const CALLS_MAX: usize = 200;
/// Whoever is further behind than this many calls is not told of all of them; a page loads anew.
const BEHIND_MAX: i64 = 200;

/// A body that is told what to say.
struct Lines(mpsc::Receiver<Bytes>);

impl http_body::Body for Lines {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

pub(super) fn answer(desk: &Arc<Desk>, query: &str) -> Response<Body> {
    let Some(store) = desk.sinks.store().cloned() else {
        return wrong(StatusCode::NOT_FOUND, "nothing is kept: start the proxy with a store");
    };
    let (say, lines) = mpsc::channel(4);
    let query = Query::read(query);
    let wanted = (query.filter(), query.number("after"));
    tokio::spawn(tell(Arc::clone(desk), store, wanted, say));
    with_body(StatusCode::OK, "text/event-stream", passed(Lines(lines)))
}

/// Tells of new calls until nobody listens: those behind the id `after`, where one is named that is
/// not too far behind.
async fn tell(
    desk: Arc<Desk>,
    store: Arc<Store>,
    (filter, after): (Filter, Option<i64>),
    say: mpsc::Sender<Bytes>,
) {
    let mut latest = desk.latest.clone();
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is for one lifetime only"
    )]
    let Some(mut last) = ask(&store, |reader| reader.latest()).await else { return };
    let oldest = last.saturating_sub(BEHIND_MAX);
    last = after.map_or(last, |after| after.clamp(oldest, last));
    let start = format!("retry: {AGAIN_MS}\nevent: start\ndata: {last}\n\n");
    if say.send(Bytes::from(start)).await.is_err() {
        return;
    }
    // Calls may have come before the question; then nothing has to change.
    latest.mark_changed();
    loop {
        // A channel whose other end is gone never changes again.
        if let Ok(Err(_)) = timeout(LOOK_AFTER, latest.changed()).await {
            sleep(LOOK_AFTER).await;
        }
        let (wanted, after) = (filter.clone(), last);
        let rows = ask(&store, move |reader| reader.newer(&wanted, after, CALLS_MAX)).await;
        let Some(rows) = rows else { return };
        last = rows.last().map_or(last, |row| row.id);
        // A comment shows that the connection still holds.
        let event = if rows.is_empty() { ": \n\n".to_owned() } else { event(&rows) };
        if say.send(Bytes::from(event)).await.is_err() {
            return;
        }
        sleep(BUNDLE).await;
    }
}

async fn ask<T: Send + 'static>(
    store: &Arc<Store>,
    question: impl FnOnce(&mut toolmend_store::Reader<'_>) -> Result<T, toolmend_store::StoreError>
    + Send
    + 'static,
) -> Option<T> {
    let store = Arc::clone(store);
    tokio::task::spawn_blocking(move || store.read(question).ok()).await.ok().flatten()
}

fn event(rows: &[CallRow]) -> String {
    let rows: serde_json::Value = rows.iter().map(row_value).collect();
    format!("event: calls\ndata: {rows}\n\n")
}
