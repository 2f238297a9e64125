//! What kind of element a name stands for, as far as nesting depends on it.

/// Kinds of elements that nest by different rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Never has content.
    Void,
    /// As void, and ends a paragraph: `hr`.
    Rule,
    /// Marks text up, and goes on in the next paragraph if it was not closed.
    Formatting,
    /// Ends a paragraph.
    Block,
    /// Ends a paragraph, but not the list item around it: `div` and `address`.
    Division,
    Paragraph,
    Heading,
    ListItem,
    /// `dt` and `dd`.
    Definition,
    Choice,
    /// `rt` and `rp`.
    Ruby,
    /// Nothing outside is closed by an end tag inside.
    Island,
    Table,
    Caption,
    Columns,
    Column,
    /// `tbody`, `thead`, `tfoot`.
    Section,
    Row,
    Cell,
    /// `html` and `body`: only their attributes count.
    Frame,
    /// Its content is text with references.
    Text,
    /// Its content is text without references.
    Verbatim,
    /// Removed with its content.
    Hidden,
    /// Its tags are removed.
    Transparent,
    Other,
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "area" | "base" | "basefont" | "bgsound" | "br" | "embed" | "img" | "input"
            | "keygen" | "link" | "meta" | "param" | "source" | "track" | "wbr" => Self::Void,
            "hr" => Self::Rule,
            "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small"
            | "strike" | "strong" | "tt" | "u" => Self::Formatting,
            "article" | "aside" | "blockquote" | "center" | "details" | "dialog" | "dir" | "dl"
            | "fieldset" | "figcaption" | "figure" | "footer" | "form" | "header" | "hgroup"
            | "listing" | "main" | "menu" | "nav" | "ol" | "pre" | "search" | "section"
            | "summary" | "ul" => Self::Block,
            "address" | "div" => Self::Division,
            "p" => Self::Paragraph,
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Self::Heading,
            "li" => Self::ListItem,
            "dd" | "dt" => Self::Definition,
            "optgroup" | "option" => Self::Choice,
            "rb" | "rp" | "rt" | "rtc" => Self::Ruby,
            "applet" | "button" | "marquee" | "object" | "select" | "template" => Self::Island,
            "table" => Self::Table,
            "caption" => Self::Caption,
            "colgroup" => Self::Columns,
            "col" => Self::Column,
            "tbody" | "tfoot" | "thead" => Self::Section,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            "body" | "html" => Self::Frame,
            "textarea" | "title" => Self::Text,
            "plaintext" | "xmp" => Self::Verbatim,
            "iframe" | "noembed" | "noframes" | "script" | "style" => Self::Hidden,
            // In SVG and MathML other rules hold; without these tags a parser never gets there.
            "frame" | "frameset" | "head" | "math" | "noscript" | "selectedcontent" | "svg" => {
                Self::Transparent
            }
            _ => Self::Other,
        }
    }

    /// Whether its start ends an open paragraph.
    pub(super) fn ends_paragraph(self) -> bool {
        matches!(
            self,
            Self::Rule
                | Self::Block
                | Self::Division
                | Self::Paragraph
                | Self::Heading
                | Self::ListItem
                | Self::Definition
                | Self::Table
        )
    }

    /// Whether it is a part of a table that may only be inside one.
    pub(super) fn is_table_part(self) -> bool {
        matches!(
            self,
            Self::Caption | Self::Columns | Self::Column | Self::Section | Self::Row | Self::Cell
        )
    }

    /// Whether only table parts may be directly inside it.
    pub(super) fn takes_only_table_parts(self) -> bool {
        matches!(self, Self::Table | Self::Columns | Self::Section | Self::Row)
    }

    /// Whether tags inside it say nothing about what is outside.
    pub(super) fn is_wall(self) -> bool {
        matches!(self, Self::Island | Self::Cell | Self::Caption) || self.takes_only_table_parts()
    }

    /// Whether it marks up a run of text, so that an end tag of it closes no block.
    pub(super) fn is_inline(self) -> bool {
        matches!(self, Self::Formatting | Self::Ruby | Self::Choice | Self::Other)
    }
}
