//! Renders an error with the line of text, a caret and the help.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::{ErrorKind, QueryError, one_of};

impl QueryError {
    /// The error as lines of text. `origin` names the text, for example by a file name.
    pub fn render(&self, text: &str, origin: &str) -> String {
        self.render_as(Level::ERROR, text, origin)
    }

    /// Like [`QueryError::render`], as a warning.
    pub fn render_warning(&self, text: &str, origin: &str) -> String {
        self.render_as(Level::WARNING, text, origin)
    }

    fn render_as(&self, level: Level<'_>, text: &str, origin: &str) -> String {
        let excerpt = Excerpt::find(text, self.span.range());
        let title = self.kind.to_string();
        let label = self.label();
        let snippet = Snippet::source(excerpt.text)
            .line_start(excerpt.line)
            .path(origin)
            .annotation(AnnotationKind::Primary.span(excerpt.within).label(label));
        let mut group = level.primary_title(title.as_str()).element(snippet);
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        Renderer::plain().render(&[group])
    }

    /// Line and column, both from 1; the column counts characters.
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

/// Bytes shown of the error, and of the line after it.
const SHOWN: usize = 200;

/// The line of an error. This cuts off its end. The renderer cuts off its start, which it needs to
/// know the column.
struct Excerpt<'t> {
    text: &'t str,
    line: usize,
    within: Range<usize>,
}

impl<'t> Excerpt<'t> {
    fn find(text: &'t str, span: Range<usize>) -> Self {
        let start = floor(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let cut = floor(text, start + 2 * SHOWN).min(line_end);
        // An error over several lines is shown up to the end of the first.
        let end = floor(text, span.end.min(start + SHOWN)).clamp(start, cut);
        Self {
            text: &text[line_start..cut],
            line: text[..line_start].bytes().filter(|byte| *byte == b'\n').count() + 1,
            within: start - line_start..end - line_start,
        }
    }
}

/// The nearest character boundary at or before an offset.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset.min(text.len()))
}
