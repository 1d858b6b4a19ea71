//! Which requests are understood; all others pass as they are.

use http::Method;
use toolmend_wire::Api;

/// The end of the path of each API. What stands before it is the base of the upstream.
const PATHS: [(&str, Api); 4] = [
    ("/chat/completions", Api::Chat),
    ("/responses", Api::Responses),
    ("/messages", Api::Messages),
    ("/api/chat", Api::Ollama),
];

/// The API of a request.
pub(crate) fn api(method: &Method, path: &str) -> Option<Api> {
    let path = path.trim_end_matches('/');
    let found = PATHS.iter().find(|(end, _)| path.ends_with(end));
    found.filter(|_| method == Method::POST).map(|(_, api)| *api)
}

#[cfg(test)]
mod tests {
    use http::Method;
    use toolmend_wire::Api;

    use super::api;

    #[test]
    fn paths_are_known_by_their_end() {
        for (path, wanted) in [
            ("/v1/chat/completions", Some(Api::Chat)),
            ("/openai/v1/chat/completions/", Some(Api::Chat)),
            ("/v1/responses", Some(Api::Responses)),
            ("/v1/responses/resp_1", None),
            ("/v1/messages", Some(Api::Messages)),
            ("/v1/messages/count_tokens", None),
            ("/api/chat", Some(Api::Ollama)),
            ("/v1/models", None),
        ] {
            assert_eq!(api(&Method::POST, path), wanted, "{path}");
            assert_eq!(api(&Method::GET, path), None);
        }
    }
}
