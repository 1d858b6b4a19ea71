//! What holds for every stream. The seed is fixed, so that a run says the same twice; the fuzz
//! targets look further.

#[path = "support/check.rs"]
mod check;
#[path = "support/healthy.rs"]
mod healthy;
#[path = "../../toolmend-json/tests/support/laws.rs"]
mod laws;
#[path = "support/play.rs"]
mod play;

use healthy::{Bytes, plans, streams};
use laws::{config, found};
use play::Script;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use toolmend_wire::{Api, Channel, Decoder, Delta, Encoder, Envelope, Reason, WireCall};

fn apis() -> impl Strategy<Value = Api> {
    prop_oneof![Just(Api::Chat), Just(Api::Responses), Just(Api::Messages), Just(Api::Ollama)]
}

/// A healthy stream of which frames were dropped, doubled and swapped, or bytes cut off.
fn damaged() -> impl Strategy<Value = (Api, Bytes)> {
    let damage = vec((any::<u8>(), any::<proptest::sample::Index>()), 1..4);
    (streams(), damage).prop_map(|((api, _, Bytes(bytes)), damage)| {
        let mut frames = check::frames(api, &bytes);
        for (kind, at) in damage {
            if frames.is_empty() {
                break;
            }
            let at = at.index(frames.len());
            let frame = frames.get(at).cloned().unwrap_or_default();
            match kind % 5 {
                0 => drop(frames.remove(at)),
                1 => frames.insert(at, frame),
                2 => frames.swap(0, at),
                3 => frames.truncate(at),
                _ => {
                    frames.truncate(at);
                    frames.push(frame.iter().copied().take(frame.len() / 2).collect());
                }
            }
        }
        (api, Bytes(frames.concat()))
    })
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn healthy_streams_leave_byte_for_byte_at_every_split((api, _, Bytes(bytes)) in streams()) {
        for at in play::splits(bytes.len()) {
            let (head, tail) = bytes.split_at(at);
            let played = play::normalize(api, [head, tail]);
            prop_assert!(played.rules.is_empty(), "{:?}", played.rules);
            prop_assert!(played.out == bytes, "{}", String::from_utf8_lossy(&played.out));
        }
    }

}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_mender_that_holds_and_releases_changes_nothing((api, _, Bytes(bytes)) in streams()) {
        // Held until what follows is none of it.
        let script = Script::read("cut ab\u{0}\nwait 0\nwait 1\npause");
        let played = play::relay(api, &script, bytes.chunks(7));
        prop_assert!(played.out == bytes, "{}", String::from_utf8_lossy(&played.out));
    }

    #[test]
    fn what_a_stream_says_is_read((api, plan, Bytes(bytes)) in streams()) {
        let mut decoder = Decoder::new(api);
        let mut deltas = Vec::new();
        decoder.push(&bytes, &mut deltas);
        decoder.finish(&mut deltas);
        let text = |channel| deltas.iter().filter_map(|(_, delta)| match delta {
            Delta::Text(own, text) if *own == channel => Some(text.as_str()),
            _ => None,
        }).collect::<String>();
        prop_assert_eq!(text(Channel::Content), plan.content.concat());
        if api != Api::Responses {
            prop_assert_eq!(text(Channel::Reasoning), plan.reasoning.concat());
        }
        let calls: Vec<_> = deltas.iter().filter_map(|(_, delta)| match delta {
            Delta::Call(_, call) => Some((call.name.clone(), call.arguments.clone())),
            _ => None,
        }).collect();
        let planned: Vec<_> =
            plan.calls.iter().map(|(name, pieces)| (name.clone(), pieces.concat())).collect();
        prop_assert_eq!(calls, planned);
    }

    #[test]
    fn what_is_encoded_is_healthy_and_says_the_same(api in apis(), plan in plans()) {
        let mut encoder = Encoder::new(api);
        encoder.start(&Envelope { id: "x1".into(), model: "m".into(), created: "7".into() });
        for text in &plan.content {
            encoder.text(Channel::Content, text);
        }
        for (number, (name, pieces)) in plan.calls.iter().enumerate() {
            let id = format!("call_{number}");
            encoder.call(&WireCall { id, name: name.clone(), arguments: pieces.concat() });
        }
        let reason = if plan.calls.is_empty() { Reason::Stop } else { Reason::Calls };
        encoder.finish(&reason);
        let bytes = encoder.take();
        let played = play::normalize(api, [bytes.as_slice()]);
        prop_assert!(played.rules.is_empty(), "{:?} {}", played.rules, String::from_utf8_lossy(&bytes));
        prop_assert!(played.out == bytes);
        let mut decoder = Decoder::new(api);
        let mut deltas = Vec::new();
        decoder.push(&bytes, &mut deltas);
        let text: String = deltas.iter().filter_map(|(_, delta)| match delta {
            Delta::Text(_, text) => Some(text.as_str()),
            _ => None,
        }).collect();
        prop_assert_eq!(text, plan.content.concat());
        let is_call = |delta: &&(usize, Delta)| matches!(delta.1, Delta::Call(..));
        prop_assert_eq!(deltas.iter().filter(is_call).count(), plan.calls.len());
        prop_assert!(deltas.contains(&(0, Delta::Finish(reason))));
    }
}

proptest! {
    #![proptest_config(config(4000))]

    #[test]
    fn damaged_streams_are_mended_once((api, Bytes(bytes)) in damaged(), size in 1..40usize) {
        found(check::holds(api, &bytes, bytes.chunks(size)))?;
    }

    #[test]
    fn frames_keep_every_byte(bytes in "([a-z: ]|\r|\n|\r\n|data: |\u{feff}){0,60}", size in 1..9usize) {
        for api in [Api::Chat, Api::Ollama] {
            found(check::keeps_bytes(api, bytes.as_bytes(), size))?;
        }
    }
}
