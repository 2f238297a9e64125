//! Metrics for people: what each one means, and its value now.

use std::collections::BTreeMap;

use maud::{Markup, html};

use crate::frame::{Frame, Viewer};

/// A metric with what it means and its values.
#[derive(Debug, Default, PartialEq)]
struct Metric<'a> {
    help: &'a str,
    kind: &'a str,
    /// Name and labels, and the value.
    samples: Vec<(&'a str, &'a str)>,
}

/// The page, from the text that programs read.
pub fn page(viewer: Viewer<'_>, text: &str) -> Markup {
    let content = html! {
        h1 { "Metrics" }
        p.soft { "Programs such as Prometheus read the same at this address, as text (OpenMetrics)." }
        div.wide.metrics { table {
            thead { tr { th scope="col" { "Name" } th.number scope="col" { "Value" } th scope="col" { "Meaning" } } }
            tbody { @for (name, metric) in &read(text) { (rows(name, metric)) } }
        } }
    };
    let frame = Frame { title: "Metrics", root: "./", place: None, viewer };
    frame.page(html! {}, content)
}

fn rows(name: &str, metric: &Metric<'_>) -> Markup {
    html! {
        @for (index, (sample, value)) in metric.samples.iter().enumerate() {
            tr {
                th scope="row" { code { (sample) } }
                td.number { (value) }
                td { @if index == 0 { (metric.help) span.soft { " (" (metric.kind) ")" } } }
            }
        }
        @if metric.samples.is_empty() {
            tr { th scope="row" { code { (name) } } td.number { "–" } td { (metric.help) span.soft { " (" (metric.kind) ")" } } }
        }
    }
}

/// Metrics by name. The buckets of histograms are left out: only programs read them.
fn read(text: &str) -> BTreeMap<&str, Metric<'_>> {
    let mut metrics: BTreeMap<&str, Metric<'_>> = BTreeMap::new();
    let mut current = "";
    for line in text.lines() {
        if let Some(said) = line.strip_prefix("# ") {
            let mut words = said.splitn(3, ' ');
            let (Some(what), Some(name)) = (words.next(), words.next()) else { continue };
            current = name;
            let metric = metrics.entry(name).or_default();
            match what {
                "HELP" => metric.help = words.next().unwrap_or_default(),
                "TYPE" => metric.kind = words.next().unwrap_or_default(),
                _ => {}
            }
        } else if let Some((sample, value)) = line.rsplit_once(' ')
            && !sample.split('{').next().is_some_and(|name| name.ends_with("_bucket"))
        {
            metrics.entry(current).or_default().samples.push((sample, value));
        }
    }
    metrics
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_help_and_values_are_read_and_buckets_left_out() {
        let text = "# HELP items Items <delivered>.\n# TYPE items counter\nitems_total 5\n\
                    # HELP age Ages.\n# TYPE age histogram\nage_sum 1.5\nage_bucket{le=\"1.0\"} 2\n# EOF\n";
        let metrics = read(text);
        assert_eq!(metrics["items"].samples, [("items_total", "5")]);
        assert_eq!((metrics["age"].kind, metrics["age"].samples.len()), ("histogram", 1));
        let page = page(Viewer::Anybody, text).into_string();
        assert!(page.contains("Items &lt;delivered&gt;."), "{page}");
    }
}
