//! Calls in JSON that are right and written as most are: read without a document.

use toolmend_json::{Object, Plain, Trust};

use super::envelope::{ARGUMENT_KEYS, ID_KEYS, NAME_KEYS, WRAPPERS, is_name_key};
use crate::found::{Arguments, Found};
use crate::offered::Offered;

/// The calls of a body that is right and written as most are, and nothing but that: objects of a name, arguments and
/// perhaps an id, one alone or in a list. They are what [`super::json::calls`] finds in its document.
pub(crate) fn calls(body: &mut Plain<'_>, offered: &Offered) -> Option<Vec<Found>> {
    if !body.takes(b'[') {
        return call(body, offered).map(|call| vec![call]);
    }
    let mut calls = vec![call(body, offered)?];
    while body.takes(b',') {
        calls.push(call(body, offered)?);
    }
    body.must_take(b']')?;
    Some(calls)
}

/// One of them.
pub(crate) fn call(body: &mut Plain<'_>, offered: &Offered) -> Option<Found> {
    let (mut name, mut id, mut object) = (None, None, Object::default());
    let mut has_arguments = false;
    body.must_take(b'{')?;
    loop {
        let key = body.key()?;
        let is_second = if key == "name" || is_name_key(key) && !WRAPPERS.contains(&key) {
            name.replace(body.string()?).is_some()
        } else if ARGUMENT_KEYS.contains(&key) {
            std::mem::replace(&mut has_arguments, true) || body.object(&mut object).is_none()
        } else if ID_KEYS.contains(&key) {
            id.replace(body.string()?).is_some()
        } else {
            return None;
        };
        // Which of two is meant is not for this place to say.
        if is_second {
            return None;
        }
        if !body.takes(b',') {
            break;
        }
    }
    body.must_take(b'}')?;
    let id = id.as_deref().map(str::trim);
    let name = name.as_deref().map(str::trim).filter(|_| has_arguments && id != Some(""))?;
    offered.find(name)?;
    let arguments = Arguments::Object(object.take_value()?, Trust::Exact);
    Some(Found { id: id.map(str::to_owned), ..Found::new(name, arguments) })
}

/// The same for arguments whose name stood elsewhere, where no call stands in their place.
pub(crate) fn arguments(body: &mut Plain<'_>, name: &str) -> Option<Found> {
    let mut object = Object::default();
    body.object(&mut object)?;
    let arguments = object.take_value()?;
    let members = arguments.as_object()?;
    let has = |keys: &[&str]| members.keys().any(|key| keys.contains(&key.as_str()));
    let is_plain = !has(&ARGUMENT_KEYS) || !has(&NAME_KEYS);
    is_plain.then(|| Found::new(name, Arguments::Object(arguments, Trust::Exact)))
}

#[cfg(test)]
mod tests {
    use toolmend_json::Plain;

    use super::super::json;
    use super::{arguments, calls};
    use crate::offered::Offered;

    #[test]
    fn what_is_plain_is_read_as_its_document_is() {
        let offered = Offered::new([("f", ["k"]), ("name", ["arguments"]), ("g", ["parameters"])]);
        let objects = [
            "{}",
            "{\"k\": 1}",
            " { \"k\" : -0 , \"b\" : [ ] } ",
            "{\"k\": \"a\\n\\u00e9\"}",
            "{\"k\": \"a\\ud800\"}",
            "{\"k\": 1, \"k\": 2}",
            "{\"k\": {\"k\": 1, \"k\": 2}}",
            "{\"k\": [1.0, {\"a\": null}, [true, false], {}]}",
            "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9}",
            "{\"k\": 1e999, \"l\": 123456789012345678901234567890}",
            "{\"name\": \"f\", \"arguments\": {\"k\": 2}}",
            "{\"name\": \"f\"}",
            "{\"arguments\": {\"k\": 2}}",
            "{\"k\": 1,}",
            "{\"k\": 01}",
            "{\"k\": tru}",
            "{\"k\": \"a\tb\"}",
            "null",
            "[]",
            "\"{}\"",
        ];
        let forms = [
            "{\"name\": \"f\", \"arguments\": @}",
            "{\"name\": \" f\\n\", \"id\": \"1\", \"parameters\": @}",
            "{\"parameters\":@,\"tool_name\":\"g\",\"call_id\":\" x \"}",
            "{\"name\": \"name\", \"arguments\": @}",
            "{\"name\": \"f\", \"args\": @, \"arguments\": {}}",
            "{\"name\": \"f\", \"name\": \"g\", \"args\": @}",
            "{\"function\": \"f\", \"arguments\": @}",
            "{\"action\": \"f\", \"action_input\": @}",
            "{\"name\": \"\", \"arguments\": @}",
            "{\"name\": \"none\", \"arguments\": @}",
            "{\"id\": 1, \"name\": \"f\", \"arguments\": @}",
            "{\"name\": \"f\", \"description\": \"x\", \"parameters\": @}",
            "{\"n\\u0061me\": \"f\", \"arguments\": @}",
            "[{\"name\": \"f\", \"arguments\": @}]",
            "[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", \"input\": @}]",
            "[{\"name\": \"f\", \"arguments\": @},]",
        ];
        let mut plain = 0;
        for object in objects {
            let mut body = Plain::new(object, 0);
            if let Some(call) = arguments(&mut body, "f") {
                let document = json::read(object.trim_end());
                assert_eq!(body.at(), object.trim_end().len(), "{object}");
                let mut want = json::arguments_in(&document, 0, "f", &offered);
                for call in &mut want {
                    call.span = 0..0;
                }
                assert_eq!(format!("{:?}", [call]), format!("{want:?}"), "{object}");
                plain += 1;
            }
            for text in forms.map(|form| form.replace('@', object)) {
                let mut body = Plain::new(&text, 0);
                let Some(found) = calls(&mut body, &offered) else { continue };
                let mut want = json::calls(&json::read(&text), 0, &offered);
                for call in &mut want {
                    call.span = 0..0;
                }
                assert_eq!(format!("{found:?}"), format!("{want:?}"), "{text}");
                assert_eq!(body.at(), text.len(), "{text}");
                plain += 1;
            }
        }
        assert!(plain > 60, "{plain}");
    }
}
