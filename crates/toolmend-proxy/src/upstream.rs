//! The servers of models, and how they are reached. Which one is chosen by settings alone.

mod line;
mod sender;

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use http::Uri;
use http::uri::{Authority, PathAndQuery, Scheme};
use toolmend::{Continuation, ProxySettings, fits};

use crate::exchange::Demand;
use crate::find::{Silence, kind_of};
use crate::reach::{Reach, ServerFailure};
use crate::who::refuse_own;
use line::Lines;
pub(crate) use sender::{Sender, Unanswered};

/// Hosted servers that go on with a turn.
const CONTINUING: [(&str, Continuation); 2] =
    [("api.deepseek.com", Continuation::Prefix), ("api.mistral.ai", Continuation::Prefix)];

/// A server of models.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    scheme: Scheme,
    authority: Authority,
    /// What stands before the path of a request; without a slash at its end.
    base: String,
    /// How it is asked for more, once that is known.
    ways: Arc<OnceLock<(Continuation, Demand)>>,
    lines: Arc<Lines>,
}

impl PartialEq for Server {
    fn eq(&self, other: &Self) -> bool {
        let key =
            |server: &Self| (server.scheme.clone(), server.authority.clone(), server.base.clone());
        key(self) == key(other)
    }
}

/// Why a URL names no server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadUpstream {
    /// The URL.
    pub url: String,
    /// What is wrong with it.
    pub message: &'static str,
}

impl std::fmt::Display for BadUpstream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "the upstream {:?} {}", self.url, self.message)
    }
}

impl std::error::Error for BadUpstream {}

/// An address as it is told to whoever looks at the terminal: without what stands before its last `@`.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    match rest.rsplit_once('@') {
        None => url.to_owned(),
        Some((_, host)) if scheme.is_empty() => format!("…@{host}"),
        Some((_, host)) => format!("{scheme}://…@{host}"),
    }
}

impl Server {
    pub(crate) fn read(url: &str) -> Result<Self, BadUpstream> {
        let bad = |message| BadUpstream { url: without_password(url), message };
        let url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        let uri: Uri = url.parse().map_err(|_| bad("is no URL"))?;
        let scheme = uri.scheme().cloned().ok_or_else(|| bad("has no scheme"))?;
        if scheme != Scheme::HTTP && scheme != Scheme::HTTPS {
            return Err(bad("is neither http nor https"));
        }
        let authority = uri.authority().cloned().ok_or_else(|| bad("names no host"))?;
        // A password may have signs in it at which the host seems to end.
        let is_hidden = without_password(&url) != url && !uri.path().contains('@');
        if is_hidden || authority.as_str().contains('@') {
            return Err(bad("has a password in it; keys belong into headers"));
        }
        let base = uri.path().trim_end_matches('/').to_owned();
        Ok(Self { scheme, authority, base, ways: Arc::default(), lines: Arc::default() })
    }

    pub(crate) fn host(&self) -> &Authority {
        &self.authority
    }

    /// Its host and port.
    pub(crate) fn place(&self) -> (&str, u16) {
        let usual = if self.scheme == Scheme::HTTPS { 443 } else { 80 };
        (self.authority.host(), self.authority.port_u16().unwrap_or(usual))
    }

    /// Where it is, without what may be a secret in a path.
    pub(crate) fn address(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }

    /// How it is asked for the rest of a turn and for a call, as far as that is known.
    pub(crate) fn ways(&self) -> (Continuation, Demand) {
        self.ways.get().copied().unwrap_or((Continuation::None, Demand::Named))
    }

    /// Finds out how it is asked for more: by its name, or by asking what it is. No key is sent for
    /// that.
    async fn detect(&self, reach: &Reach) {
        let by_name = CONTINUING.iter().find(|(host, _)| self.authority.host() == *host);
        let found = match by_name {
            // Only the beta of DeepSeek goes on with a turn.
            Some((host, _)) if host.ends_with("deepseek.com") && !self.base.ends_with("/beta") => {
                None
            }
            Some((_, continuation)) => Some((*continuation, Demand::Named)),
            None if self.scheme == Scheme::HTTP => {
                let base = self.base.trim_end_matches("/v1");
                let url = format!("http://{}{base}", self.authority);
                match kind_of(&url).await {
                    Ok(kind) => Some((kind.continuation(), kind.demand())),
                    Err(silence) => {
                        if silence == Silence::Unreachable {
                            reach.fails(self, ServerFailure::Unreachable);
                        }
                        None
                    }
                }
            }
            None => None,
        };
        if let Some(found) = found {
            let _ = self.ways.set(found);
        }
    }

    /// The address of a request: ours is the host, the client's are path and query. A base that
    /// ends like the path begins is not doubled, because both spellings of a base URL are common.
    pub(crate) fn uri(&self, asked: &Uri) -> Option<Uri> {
        let path = asked.path_and_query().map_or("/", PathAndQuery::as_str);
        let path = match path.strip_prefix("/v1").filter(|_| self.base.ends_with("/v1")) {
            Some(rest) => rest,
            None => path,
        };
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{path}", self.base))
            .build()
            .ok()
    }
}

/// All servers, by the model that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    default: Server,
    by_model: Vec<(String, Server)>,
}

impl Servers {
    pub(crate) fn read(default: &str, settings: &ProxySettings) -> Result<Self, BadUpstream> {
        let by_model = settings.upstreams.iter();
        let by_model = by_model.map(|(pattern, url)| Ok((pattern.clone(), Server::read(url)?)));
        Ok(Self { default: Server::read(default)?, by_model: by_model.collect::<Result<_, _>>()? })
    }

    /// Finds out what the servers can do, and whether they are there.
    pub(crate) async fn detect(&self, reach: &Reach) {
        for server in self.all() {
            server.detect(reach).await;
        }
    }

    /// Refuses servers that are the proxy itself: a request would go round until all connections are
    /// taken.
    pub(crate) async fn refuse_own(&self, own: SocketAddr) -> Result<(), BadUpstream> {
        for server in self.all() {
            refuse_own(server, own).await?;
        }
        Ok(())
    }

    fn all(&self) -> impl Iterator<Item = &Server> {
        self.by_model.iter().map(|(_, server)| server).chain([&self.default])
    }

    pub(crate) fn of(&self, model: &str) -> &Server {
        let own = self.by_model.iter().find(|(pattern, _)| fits(pattern, model));
        own.map_or(&self.default, |(_, server)| server)
    }

    /// Whether this is the server to which all requests go that settings do not send elsewhere.
    pub(crate) fn is_default(&self, server: &Server) -> bool {
        std::ptr::eq(server, &raw const self.default)
    }
}

/// What one connection reads ahead and writes behind. Left alone it grows to seven times as much with
/// a client that reads slowly.
pub(crate) const BUFFER_MAX: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::Server;

    #[test]
    fn the_host_is_ours_and_the_path_is_the_clients() {
        for (base, asked, wanted) in [
            ("http://127.0.0.1:1234", "/v1/models?a=1", "http://127.0.0.1:1234/v1/models?a=1"),
            ("127.0.0.1:1234/v1/", "/v1/models", "http://127.0.0.1:1234/v1/models"),
            ("https://api.example/x", "/v1/models", "https://api.example/x/v1/models"),
            ("http://h", "http://evil/v1/models", "http://h/v1/models"),
        ] {
            let server = Server::read(base).unwrap();
            assert_eq!(server.uri(&asked.parse().unwrap()).unwrap().to_string(), wanted);
        }
        let hidden =
            ["ftp://user:pass@h", "http://us er:pass@h", "http://user:pa#ss@h", "user:pass@h"];
        for bad in ["ftp://h", "http://user:pass@h", "http://", "a b"].into_iter().chain(hidden) {
            let error = Server::read(bad).unwrap_err().to_string();
            assert!(!error.contains(":pa") && !error.contains("user"), "{error}");
        }
        let server = Server::read("https://h:1/v1/secret?key=secret").unwrap();
        assert_eq!(server.address(), "https://h:1");
    }
}
