//! `characterise`: how much, how regularly and in what daily rhythm the sources of a trace publish.

use pergola_newsroom::Trace;
use pergola_refresh::characteristics::{Activity, Characteristics, Rhythm};
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Report, Scale, Series, Style};
use crate::rows::Rows;

/// One source: its name, its items, its characteristics.
type Found<'a> = (&'a str, usize, Characteristics);

/// `characterise`.
pub(crate) fn characterise(trace: &Trace) -> Report {
    let found: Vec<Found<'_>> = trace
        .streams
        .iter()
        .map(|stream| {
            let times: Vec<f64> = stream.items.iter().map(|item| item.at).collect();
            (&*stream.id, times.len(), Characteristics::of(&times, trace.weeks * 7))
        })
        .collect();
    let mut headings = vec!["sources", "items"];
    headings.extend(Rhythm::ALL.map(Rhythm::name));
    headings.extend(["CV ≤ 1", "mean CV"]);
    let mut rows = Rows::new(&["items a day"], &headings);
    for activity in Activity::ALL {
        rows.show(class_cells(&found, activity));
    }
    for (id, items, c) in &found {
        rows.record(json!({
            "stream_id": id, "items": items, "items_per_day": c.items_per_day,
            "activity_class": c.activity, "cv": c.variation,
            "shape": c.shape, "shape_80": c.shape_by_majority,
        }));
    }
    let title =
        format!("{} sources, {} items in {} weeks", found.len(), trace.items(), trace.weeks);
    let notes = vec![
        "Shapes by a majority of four hours in five. CV is the mean over the hours of deviation \
         over mean: small is regular."
            .to_owned(),
    ];
    rows.report(title, notes, vec![chart(&found)], json!({}))
}

/// The row of one class of sources.
fn class_cells(found: &[Found<'_>], activity: Activity) -> Vec<Cell> {
    let class: Vec<_> = found.iter().filter(|(_, _, c)| c.activity == activity).collect();
    let count = |f: &dyn Fn(&Characteristics) -> bool| {
        Cell::count(class.iter().filter(|(_, _, c)| f(c)).count())
    };
    let variations: Vec<f64> = class.iter().filter_map(|(_, _, c)| c.variation).collect();
    let mut cells = vec![
        Cell::text(activity.name()),
        Cell::count(class.len()),
        Cell::count(class.iter().map(|(_, items, _)| *items).sum()),
    ];
    cells.extend(Rhythm::ALL.map(|shape| count(&|c| c.shape_by_majority == shape)));
    cells.push(count(&|c| c.variation.is_some_and(|v| v <= 1.0)));
    cells.push(match variations.len() {
        0 => Cell::Empty,
        n => Cell::number(variations.iter().sum::<f64>() / n as f64, 2),
    });
    cells
}

/// Sources by class and shape.
fn chart(found: &[Found<'_>]) -> Chart {
    let series = Rhythm::ALL.map(|shape| {
        let count = |activity| {
            let of =
                |(_, _, c): &&Found<'_>| c.activity == activity && c.shape_by_majority == shape;
            found.iter().filter(of).count() as f64
        };
        let points = Activity::ALL.iter().enumerate().map(|(n, &a)| (n as f64, count(a)));
        Series::new(shape.name(), Style::Bars, points.collect())
    });
    let names = Activity::ALL.map(|activity| activity.name().to_owned()).to_vec();
    Chart {
        title: String::new(),
        x: Axis::new("items a day", Scale::Named(names)),
        y: Axis::new("sources", Scale::Linear),
        series: series.to_vec(),
    }
}
