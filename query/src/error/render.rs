//! Shows an error against the text: the line, a caret, what was expected, what was probably meant.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::{ErrorKind, QueryError, one_of};

impl QueryError {
    /// The error as lines of text. `origin` says where the query came from, such as a file's name.
    pub fn render(&self, text: &str, origin: &str) -> String {
        self.render_as(Level::ERROR, text, origin)
    }

    /// The same, as a warning.
    pub fn render_warning(&self, text: &str, origin: &str) -> String {
        self.render_as(Level::WARNING, text, origin)
    }

    fn render_as(&self, level: Level<'_>, text: &str, origin: &str) -> String {
        let place = Place::find(text, self.span.range());
        let title = self.kind.to_string();
        let label = self.label();
        let snippet = Snippet::source(place.excerpt)
            .line_start(place.line)
            .path(origin)
            .annotation(AnnotationKind::Primary.span(place.within).label(label));
        let mut group = level.primary_title(title.as_str()).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        Renderer::plain().render(&[group])
    }

    /// The line and column, both from 1, the column in characters.
    pub fn position(&self, text: &str) -> (usize, usize) {
        let start = floor(text, self.span.range().start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[..line_start].bytes().filter(|byte| *byte == b'\n').count() + 1;
        (line, text[line_start..start].chars().count() + 1)
    }

    fn label(&self) -> Option<String> {
        match &self.kind {
            ErrorKind::Unexpected { expected, .. } | ErrorKind::UnexpectedEnd { expected } => {
                (!expected.is_empty()).then(|| format!("expected {}", one_of(expected)))
            }
            _ => None,
        }
    }
}

/// How much of a line is shown after the place, and how much of the place itself.
const SHOWN: usize = 200;

/// The line of an error. Its end is cut here, its beginning by the renderer, which needs it to tell the
/// column.
struct Place<'t> {
    excerpt: &'t str,
    line: usize,
    within: Range<usize>,
}

impl<'t> Place<'t> {
    fn find(text: &'t str, span: Range<usize>) -> Self {
        let start = floor(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let cut = floor(text, start + 2 * SHOWN).min(line_end);
        // A place that goes on over the line's end is shown up to there.
        let end = floor(text, span.end.min(start + SHOWN)).clamp(start, cut);
        Self {
            excerpt: &text[line_start..cut],
            line: text[..line_start].bytes().filter(|byte| *byte == b'\n').count() + 1,
            within: start - line_start..end - line_start,
        }
    }
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
