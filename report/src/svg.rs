//! Writes a drawing as SVG: text stays text, so it can be searched, copied and restyled.

use std::fmt::Write;

use super::drawing::{Anchor, Colour, Drawing, Fill, Point, Shape, Stroke, Text, Thread};

/// The drawing as a document that stands alone.
pub(super) fn render(drawing: &Drawing) -> String {
    let mut svg = opening(drawing);
    add_shapes(&drawing.shapes, &mut svg);
    svg + "</svg>\n"
}

/// Drawings of the size of the first, each shown for so many seconds, over and over.
pub(super) fn animate(frames: &[Drawing], seconds: f64) -> String {
    let Some(first) = frames.first() else { return String::new() };
    let mut svg = opening(first);
    let (count, dur) = (frames.len(), short(seconds * frames.len() as f64));
    for (number, frame) in frames.iter().enumerate() {
        let share = |n: usize| trimmed(format!("{:.5}", n as f64 / count as f64));
        let last = number + 1 == count;
        let (values, times) = match number {
            0 => ("inline;none".to_owned(), format!("0;{}", share(1))),
            n if last => ("none;inline".to_owned(), format!("0;{}", share(n))),
            n => ("none;inline;none".to_owned(), format!("0;{};{}", share(n), share(n + 1))),
        };
        svg += if number == 0 { "<g>" } else { "<g display=\"none\">" };
        if count > 1 {
            let _ = writeln!(
                svg,
                "<animate attributeName=\"display\" calcMode=\"discrete\" values=\"{values}\" \
                 keyTimes=\"{times}\" dur=\"{dur}s\" repeatCount=\"indefinite\"/>"
            );
        }
        add_shapes(&frame.shapes, &mut svg);
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

fn opening(drawing: &Drawing) -> String {
    let (width, height) = (short(drawing.width), short(drawing.height));
    let title = escape(&drawing.title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" \
         font-family=\"'Noto Sans', 'Helvetica Neue', Arial, sans-serif\" \
         stroke-linejoin=\"round\" stroke-linecap=\"butt\">\n<title>{title}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

fn add_shapes(shapes: &[Shape], svg: &mut String) {
    for shape in shapes {
        match shape {
            Shape::Path { points, closed, fill, stroke } => {
                let _ =
                    writeln!(svg, "<path d=\"{}\"{}/>", path(points, *closed), paint(fill, stroke));
            }
            Shape::Threads { threads, stroke } => {
                let paint = paint(&None, &Some(*stroke));
                let _ = writeln!(svg, "<path d=\"{}\"{paint}/>", lines(threads));
            }
            Shape::Circle { centre: (x, y), radius, fill, stroke } => {
                let (x, y, r, paint) = (short(*x), short(*y), short(*radius), paint(fill, stroke));
                let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{paint}/>");
            }
            Shape::Text(text) => *svg += &text_element(text),
        }
    }
}

fn path(points: &[Point], closed: bool) -> String {
    let mut d = String::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        let _ = write!(d, "{command}{} {}", short(*x), short(*y));
    }
    if closed { d + "Z" } else { d }
}

fn lines(threads: &[Thread]) -> String {
    let mut d = String::new();
    for Thread { from, towards, to } in threads {
        let _ = write!(d, "M{} {}", tenths(from.0), tenths(from.1));
        let _ = match towards {
            Some((x, y)) => write!(d, "Q{} {} ", tenths(*x), tenths(*y)),
            None => write!(d, "L"),
        };
        let _ = write!(d, "{} {}", tenths(to.0), tenths(to.1));
    }
    d
}

fn paint(fill: &Option<Fill>, stroke: &Option<Stroke>) -> String {
    let mut text = match fill {
        Some(Fill { colour, opacity }) if *opacity < 1.0 => {
            format!(" fill=\"{}\" fill-opacity=\"{}\"", hex(*colour), short(*opacity))
        }
        Some(Fill { colour, .. }) => format!(" fill=\"{}\"", hex(*colour)),
        None => " fill=\"none\"".to_owned(),
    };
    if let Some(Stroke { colour, width, dash, opacity }) = stroke {
        let _ = write!(text, " stroke=\"{}\" stroke-width=\"{}\"", hex(*colour), short(*width));
        if *opacity < 1.0 {
            let _ = write!(text, " stroke-opacity=\"{}\"", short(*opacity));
        }
        if let Some((dash, gap)) = dash {
            let _ = write!(text, " stroke-dasharray=\"{} {}\"", short(*dash), short(*gap));
        }
    }
    text
}

fn text_element(text: &Text) -> String {
    let (x, y) = (short(text.at.0), short(text.at.1));
    let mut tag = format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"", short(text.size));
    let _ = write!(tag, " fill=\"{}\"", hex(text.colour));
    match text.anchor {
        Anchor::Start => (),
        Anchor::Middle => tag += " text-anchor=\"middle\"",
        Anchor::End => tag += " text-anchor=\"end\"",
    }
    if text.bold {
        tag += " font-weight=\"bold\"";
    }
    if text.angle != 0.0 {
        let _ = write!(tag, " transform=\"rotate({} {x} {y})\"", short(text.angle));
    }
    format!("{tag}>{}</text>\n", escape(&text.content))
}

/// At most two digits after the point, none of them idle.
fn short(value: f64) -> String {
    trimmed(format!("{value:.2}"))
}

/// At most one digit after the point: enough where lines are many.
fn tenths(value: f64) -> String {
    trimmed(format!("{value:.1}"))
}

fn trimmed(text: String) -> String {
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn hex(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Text for XML; control characters, which XML forbids, are dropped.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => (),
            c => escaped.push(c),
        }
    }
    escaped
}
