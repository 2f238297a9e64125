//! Mutates the corpus with a small generator of our own, so that a seed always gives the same run.

use std::path::PathBuf;

/// The damage corpus, a subscription list and a web page.
pub(crate) fn corpus() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/damage");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|files| files.filter_map(|file| Some(file.ok()?.path())).collect())
        .unwrap_or_default();
    paths.sort();
    let mut corpus: Vec<Vec<u8>> =
        paths.into_iter().filter_map(|path| std::fs::read(path).ok()).collect();
    let list = "<opml version=\"2.0\"><head><title>L</title></head><body><outline text=\"a\">\
                <outline text=\"b\" xmlUrl=\"https://example.org/\"/></outline></body></opml>";
    let page = "<html><head><link rel=alternate type=application/rss+xml href=/f></head><!-- dynamo:item -->\
                <!-- dynamo:title -->a<!-- /dynamo:title --><!-- /dynamo:item --></html>";
    for extra in [list, page] {
        corpus.extend(std::iter::repeat_n(extra.as_bytes().to_vec(), 8));
    }
    corpus
}

/// Pieces that have broken parsers in the past.
const PIECES: [&str; 32] = [
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<item>",
    "</item>",
    "<entry",
    "</channel>",
    "&",
    "&amp",
    "&#0;",
    "&#xFFFFFFFF;",
    "<",
    ">",
    "\"",
    "='",
    "xmlns=\"",
    "xml:base=\"http://[\"",
    "\0",
    "\u{feff}",
    "é—",
    "<title>",
    "</title>",
    "<description><div>",
    "<atom:link href=",
    "<!DOCTYPE a [<!ENTITY b \"&c;\">]>",
    "<?xml version=\"1.0\" encoding=\"utf-16\"?>",
    "{\"items\":[{",
    "\\ud800",
    "<author>é@é",
    "<itunes:duration>999999999999999999999:1:1",
    "<outline>",
];

/// Mutates documents of a corpus, deterministically for a seed.
pub(crate) struct Mutator {
    corpus: Vec<Vec<u8>>,
    state: u64,
}

impl Mutator {
    pub(crate) fn new(corpus: Vec<Vec<u8>>, seed: u64) -> Self {
        assert!(!corpus.is_empty(), "the corpus is missing");
        Self { corpus, state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    /// A number below `bound`, by xorshift.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 11).unwrap_or(0) % bound.max(1)
    }

    /// The next input.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let at = self.below(self.corpus.len());
        let mut input = self.corpus[at].clone();
        for _ in 0..1 + self.below(4) {
            self.mutate(&mut input);
        }
        input
    }

    fn mutate(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let length = self.below(40).min(input.len() - at);
        match self.below(8) {
            0 => input.truncate(at),
            1 => {
                input.drain(at..at + length);
            }
            2 | 3 => {
                let piece = PIECES[self.below(PIECES.len())];
                input.splice(at..at, piece.bytes());
            }
            4 => {
                let copy = input[at..at + length].to_vec();
                let times = 1 + self.below(30);
                input.splice(at..at, copy.repeat(times));
            }
            5 => {
                let other = self.below(self.corpus.len());
                let other = self.corpus[other].clone();
                let from = self.below(other.len() + 1);
                let until = (from + self.below(400)).min(other.len());
                input.splice(at..at, other[from..until].iter().copied());
            }
            6 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = u8::try_from(self.below(256)).unwrap_or(0);
                }
            }
            _ => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
        }
    }
}
