//! Builds XML for the writers.

use crate::markup::chars::push_escaped;

/// Builds a document and escapes every text. The caller closes the elements that it opens.
pub(super) struct Xml {
    out: String,
}

impl Xml {
    /// Starts with the XML declaration.
    pub(super) fn new() -> Self {
        Self { out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".into() }
    }

    pub(super) fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str(">\n");
    }

    pub(super) fn close(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    /// An element without content.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes);
        self.out.push_str("/>\n");
    }

    /// An element with text.
    pub(super) fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.tag(name, attributes);
        self.out.push('>');
        push_escaped(&mut self.out, text);
        self.close(name);
    }

    /// An element with text, if there is one.
    pub(super) fn maybe(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, &[], text);
        }
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            let start = self.out.len();
            push_escaped(&mut self.out, value);
            // Unescaped line breaks in attributes would become spaces.
            if self.out[start..].contains(['\n', '\t']) {
                let value = self.out.split_off(start);
                self.out.push_str(&value.replace('\n', "&#10;").replace('\t', "&#9;"));
            }
            self.out.push('"');
        }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}
