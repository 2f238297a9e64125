//! Small charts, drawn as SVG inside the page. Each has a title and a description for those who cannot see it.

use maud::{Markup, html};

/// The size of a line chart, in its own units.
const WIDE: f64 = 300.0;
const HIGH: f64 = 64.0;
/// Room above and below a line, so that it is not cut off.
const ROOM: f64 = 3.0;

/// A value over time.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    /// Names the elements that describe the chart; used once on a page.
    pub id: &'a str,
    pub title: &'a str,
    /// What it shows, in a sentence.
    pub description: &'a str,
    /// One for each interval; nothing where nothing is known.
    pub values: &'a [Option<f64>],
    /// The highest and the lowest value that is drawn; from the values if nothing is said.
    pub range: Option<(f64, f64)>,
}

impl Line<'_> {
    /// The chart.
    pub fn draw(&self) -> Markup {
        let (low, high) = self.range.unwrap_or_else(|| range_of(self.values));
        let span = if high > low { high - low } else { 1.0 };
        let step = WIDE / self.values.len().max(1) as f64;
        let x = |index: usize| (index as f64 + 0.5) * step;
        let y = |value: f64| {
            let share = ((value - low) / span).clamp(0.0, 1.0);
            HIGH - ROOM - share * (HIGH - 2.0 * ROOM)
        };
        let (title, description) = (format!("{}-title", self.id), format!("{}-desc", self.id));
        html! {
            svg.chart viewBox="0 0 300 64" preserveAspectRatio="none" role="img"
                aria-labelledby={ (title) " " (description) } {
                title id=(title) { (self.title) }
                desc id=(description) { (self.description) }
                line.ground x1="0" y1="63.5" x2="300" y2="63.5" {}
                @for run in runs(self.values) {
                    @match run.as_slice() {
                        [(index, value)] => circle cx=(round(x(*index))) cy=(round(y(*value))) r="1.5" {},
                        points => polyline points=(path(points, x, y)) {},
                    }
                }
            }
        }
    }
}

/// The lowest and the highest of the known values, with 0 as the lowest.
fn range_of(values: &[Option<f64>]) -> (f64, f64) {
    let high = values.iter().flatten().copied().fold(0.0, f64::max);
    (0.0, if high > 0.0 { high } else { 1.0 })
}

/// The known values that follow one another.
fn runs(values: &[Option<f64>]) -> Vec<Vec<(usize, f64)>> {
    let mut runs: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut going_on = false;
    for (index, value) in values.iter().enumerate() {
        let known = value.filter(|value| value.is_finite());
        match (known, runs.last_mut()) {
            (Some(value), Some(run)) if going_on => run.push((index, value)),
            (Some(value), _) => runs.push(vec![(index, value)]),
            (None, _) => {}
        }
        going_on = known.is_some();
    }
    runs
}

fn path(points: &[(usize, f64)], x: impl Fn(usize) -> f64, y: impl Fn(f64) -> f64) -> String {
    let at = |(index, value): &(usize, f64)| format!("{},{}", round(x(*index)), round(y(*value)));
    points.iter().map(at).collect::<Vec<_>>().join(" ")
}

/// One digit is more than anybody can see.
fn round(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Bars side by side, each of one or more parts that stand on each other.
#[derive(Debug, Clone, Copy)]
pub struct Bars<'a> {
    /// Names the elements that describe the chart; used once on a page.
    pub id: &'a str,
    pub title: &'a str,
    /// What it shows, in a sentence.
    pub description: &'a str,
    pub bars: &'a [Bar],
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it says when pointed at.
    pub label: String,
    /// Its parts from the ground up: a class of the stylesheet, and how high it is.
    pub parts: Vec<(&'static str, f64)>,
}

impl Bars<'_> {
    /// The chart.
    pub fn draw(&self) -> Markup {
        let total = |bar: &Bar| bar.parts.iter().map(|(_, high)| high.max(0.0)).sum::<f64>();
        let most = self.bars.iter().map(total).fold(0.0, f64::max);
        let step = WIDE / self.bars.len().max(1) as f64;
        let (title, description) = (format!("{}-title", self.id), format!("{}-desc", self.id));
        html! {
            svg.chart viewBox="0 0 300 64" preserveAspectRatio="none" role="img"
                aria-labelledby={ (title) " " (description) } {
                title id=(title) { (self.title) }
                desc id=(description) { (self.description) }
                line.ground x1="0" y1="63.5" x2="300" y2="63.5" {}
                @for (index, bar) in self.bars.iter().enumerate() {
                    (draw_bar(bar, index as f64 * step, step, most))
                }
            }
        }
    }
}

fn draw_bar(bar: &Bar, left: f64, step: f64, most: f64) -> Markup {
    let scale = if most > 0.0 { (HIGH - ROOM) / most } else { 0.0 };
    let mut ground = HIGH - 0.5;
    let mut parts = Vec::new();
    for (class, value) in &bar.parts {
        let high = value.max(0.0) * scale;
        if high > 0.0 {
            ground -= high;
            parts.push((*class, ground, high));
        }
    }
    let (gap, wide) = (step * 0.1, step * 0.8);
    html! {
        g {
            title { (bar.label) }
            // The whole column answers to the pointer, however low the bar is.
            rect.column x=(round(left)) y="0" width=(round(step)) height="64" {}
            @for (class, top, high) in parts {
                rect class=(class) x=(round(left + gap)) y=(round(top)) width=(round(wide))
                    height=(round(high)) {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[Option<f64>]) -> String {
        let (id, title, description) = ("f", "Freshness", "From 0 to 1 <i>");
        Line { id, title, description, values, range: Some((0.0, 1.0)) }.draw().into_string()
    }

    #[test]
    fn a_line_has_gaps_where_nothing_is_known() {
        let drawn = line(&[Some(0.0), Some(1.0), None, Some(0.5), None, Some(f64::NAN)]);
        assert_eq!(drawn.matches("<polyline").count(), 1, "{drawn}");
        assert_eq!(drawn.matches("<circle").count(), 1, "{drawn}");
        assert!(drawn.contains("points=\"25,61 75,3\""), "{drawn}");
    }

    #[test]
    fn a_chart_without_values_still_says_what_it_would_show() {
        let drawn = line(&[]);
        assert!(drawn.contains("<title id=\"f-title\">Freshness</title>"), "{drawn}");
        assert!(drawn.contains("From 0 to 1 &lt;i&gt;"), "{drawn}");
        assert!(!drawn.contains("polyline"), "{drawn}");
    }

    #[test]
    fn the_highest_bar_fills_the_chart_and_parts_stand_on_each_other() {
        let bar = |label: &str, a, b| Bar { label: label.into(), parts: vec![("a", a), ("b", b)] };
        let bars = [bar("one", 1.0, 0.0), bar("two", 1.0, 1.0)];
        let (id, title, description) = ("s", "Strip", "");
        let drawn = Bars { id, title, description, bars: &bars }.draw().into_string();
        assert!(
            drawn.contains("class=\"a\" x=\"15\" y=\"33\" width=\"120\" height=\"30.5\""),
            "{drawn}"
        );
        assert!(drawn.contains("class=\"b\" x=\"165\" y=\"2.5\""), "{drawn}");
        assert_eq!(drawn.matches("class=\"b\"").count(), 1, "a part without height is not drawn");
    }
}
