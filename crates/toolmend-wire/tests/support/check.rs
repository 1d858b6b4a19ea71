//! What holds for any bytes. Shared with the fuzz targets.

use toolmend_wire::{Api, Frame, Framer, Normalizer, StreamRule};

pub(crate) type Finding = Result<(), String>;

/// Over this no stream of a test goes.
const FRAME_BYTES_MAX: usize = 1 << 20;

/// Pieces do not matter, what is mended stays mended, and output is bounded.
pub(crate) fn holds<'p>(api: Api, bytes: &[u8], pieces: impl Iterator<Item = &'p [u8]>) -> Finding {
    let (whole, rules) = normalize(api, [bytes].into_iter());
    let (joined, rules_joined) = normalize(api, pieces);
    let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if (&whole, &rules) != (&joined, &rules_joined) {
        return Err(format!(
            "pieces matter: {rules:?}\n{}\n{rules_joined:?}\n{}",
            show(&whole),
            show(&joined)
        ));
    }
    if (whole == bytes) != rules.is_empty() {
        return Err(format!(
            "{}: bytes change if and only if a rule fires: {rules:?}\nin:\n{}\nout:\n{}",
            api.as_str(),
            show(bytes),
            show(&whole)
        ));
    }
    if whole.len() > 4096 + 64 * bytes.len() {
        return Err(format!("{} bytes became {}", bytes.len(), whole.len()));
    }
    let (twice, rules_twice) = normalize(api, [whole.as_slice()].into_iter());
    if twice != whole || !rules_twice.is_empty() {
        return Err(format!(
            "{}: twice is not once: {rules:?} {rules_twice:?}\nin:\n{}\nonce:\n{}\ntwice:\n{}",
            api.as_str(),
            show(bytes),
            show(&whole),
            show(&twice)
        ));
    }
    Ok(())
}

fn normalize<'p>(
    api: Api,
    pieces: impl Iterator<Item = &'p [u8]>,
) -> (Vec<u8>, Vec<(StreamRule, usize)>) {
    let mut normalizer = Normalizer::new(api);
    let mut out = Vec::new();
    for piece in pieces {
        normalizer.push(piece, &mut out);
    }
    normalizer.finish(&mut out);
    (out, normalizer.rules().to_vec())
}

/// Joined, the frames are the stream; and how it is cut into pieces does not matter.
pub(crate) fn keeps_bytes(api: Api, bytes: &[u8], size: usize) -> Finding {
    for limit in [FRAME_BYTES_MAX, 16] {
        let pieced = cut(api, bytes.chunks(size), limit);
        if pieced.iter().flat_map(|frame| &frame.raw).copied().ne(bytes.iter().copied()) {
            return Err(format!("joined, the frames are not the stream: {pieced:?}"));
        }
    }
    let whole = cut(api, [bytes].into_iter(), FRAME_BYTES_MAX);
    match whole == cut(api, bytes.chunks(size), FRAME_BYTES_MAX) {
        true => Ok(()),
        false => Err(format!("pieces matter: {whole:?}")),
    }
}

/// The bytes of each frame.
pub(crate) fn frames(api: Api, bytes: &[u8]) -> Vec<Vec<u8>> {
    let frames = cut(api, [bytes].into_iter(), FRAME_BYTES_MAX);
    frames.into_iter().map(|frame| frame.raw).collect()
}

fn cut<'p>(api: Api, pieces: impl Iterator<Item = &'p [u8]>, limit: usize) -> Vec<Frame> {
    let mut framer = Framer::new(api.framing(), limit);
    let mut found = Vec::new();
    for piece in pieces {
        framer.push(piece);
        found.extend(std::iter::from_fn(|| framer.next_frame()));
    }
    found.extend(std::iter::from_fn(|| framer.finish()));
    found
}
