//! Writes JSON piece by piece, so that no tree is made of what is text already.

/// JSON that is being written.
#[derive(Debug, Default)]
pub(super) struct Json(Vec<u8>);

impl Json {
    pub(super) fn with_room(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Closes what is open at last, and gives the text.
    pub(super) fn finish(mut self) -> String {
        self.close();
        // What is written is text.
        String::from_utf8(self.0).unwrap_or_default()
    }

    /// Parts two values.
    fn part(&mut self) {
        if !matches!(self.0.last(), None | Some(b'{' | b'[' | b':')) {
            self.0.push(b',');
        }
    }

    fn raw(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Quotes a word in which nothing has to be escaped.
    fn quoted(&mut self, word: &str) {
        self.0.push(b'"');
        self.raw(word);
        self.0.push(b'"');
    }

    /// Names are words of this program.
    fn name(&mut self, name: &str) {
        match self.0.is_empty() {
            true => self.0.push(b'{'),
            false => self.part(),
        }
        self.quoted(name);
        self.0.push(b':');
    }

    pub(super) fn open(&mut self) {
        self.part();
        self.0.push(b'{');
    }

    pub(super) fn open_in(&mut self, name: &str) {
        self.name(name);
        self.0.push(b'{');
    }

    pub(super) fn close(&mut self) {
        self.0.push(b'}');
    }

    pub(super) fn text(&mut self, text: &str) {
        self.part();
        // Memory does not fail to be written to.
        let _ = serde_json::to_writer(&mut self.0, text);
    }

    pub(super) fn text_in(&mut self, name: &str, text: &str) {
        self.name(name);
        self.text(text);
    }

    /// Adds a word of this program.
    pub(super) fn word_in(&mut self, name: &str, word: &str) {
        self.name(name);
        self.quoted(word);
    }

    pub(super) fn optional_in(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text_in(name, text),
            None => self.json_in(name, "null"),
        }
    }

    pub(super) fn json_in(&mut self, name: &str, json: &str) {
        self.name(name);
        self.raw(json);
    }

    pub(super) fn flag_in(&mut self, name: &str, is: bool) {
        self.json_in(name, if is { "true" } else { "false" });
    }

    pub(super) fn number_in(&mut self, name: &str, number: Option<usize>) {
        self.name(name);
        // Memory does not fail to be written to.
        let _ = serde_json::to_writer(&mut self.0, &number);
    }

    pub(super) fn list_in<T>(&mut self, name: &str, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.name(name);
        self.0.push(b'[');
        for item in items {
            write(self, item);
        }
        self.0.push(b']');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Json;

    #[test]
    fn what_is_written_can_be_read() {
        let mut json = Json::default();
        json.text_in("a", "b\n{\"");
        json.list_in("list", &["x", "["], |json, item| json.text(item));
        json.open_in("in");
        json.close();
        json.list_in("objects", &[1, 2], |json, number| {
            json.open();
            json.number_in("n", Some(*number));
            json.flag_in("is", true);
            json.optional_in("none", None);
            json.close();
        });
        let read: Value = serde_json::from_str(&json.finish()).unwrap();
        let object = |number: u8| json!({"n": number, "is": true, "none": null});
        let wanted = json!({"a": "b\n{\"", "list": ["x", "["], "in": {},
            "objects": [object(1), object(2)]});
        assert_eq!(read, wanted);
    }
}
