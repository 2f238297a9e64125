//! `characterise`: how busy, how regular and in what daily shape the sources of a trace publish.

use pergola_newsroom::Trace;
use pergola_refresh::characteristics::{Activity, Characteristics, Rhythm};
use serde_json::json;

use crate::report::{Axis, Cell, Chart, Column, Report, Scale, Series, Style, Table};

/// `characterise`.
pub(crate) fn characterise(trace: &Trace) -> Report {
    let found: Vec<(&str, usize, Characteristics)> = trace
        .streams
        .iter()
        .map(|stream| {
            let times: Vec<f64> = stream.items.iter().map(|item| item.at).collect();
            (&*stream.id, times.len(), Characteristics::of(&times, trace.weeks * 7))
        })
        .collect();
    let mut table = Table {
        columns: vec![
            Column::left("items a day"),
            Column::right("sources"),
            Column::right("items"),
        ],
        rows: Vec::new(),
    };
    table.columns.extend(Rhythm::ALL.map(|shape| Column::right(shape.name())));
    table.columns.push(Column::right("CV ≤ 1"));
    table.columns.push(Column::right("mean CV"));
    for activity in Activity::ALL {
        let class: Vec<_> = found.iter().filter(|(_, _, c)| c.activity == activity).collect();
        let count = |f: &dyn Fn(&Characteristics) -> bool| {
            Cell::Integer(class.iter().filter(|(_, _, c)| f(c)).count() as i64)
        };
        let variations: Vec<f64> = class.iter().filter_map(|(_, _, c)| c.variation).collect();
        let mut row = vec![
            Cell::Text(activity.name().to_owned()),
            Cell::Integer(class.len() as i64),
            Cell::Integer(class.iter().map(|(_, items, _)| *items as i64).sum()),
        ];
        row.extend(Rhythm::ALL.map(|shape| count(&|c| c.shape_by_majority == shape)));
        row.push(count(&|c| c.variation.is_some_and(|v| v <= 1.0)));
        row.push(match variations.len() {
            0 => Cell::Empty,
            n => Cell::Number { value: variations.iter().sum::<f64>() / n as f64, decimals: 2 },
        });
        table.rows.push(row);
    }
    let names = Activity::ALL.map(|activity| activity.name().to_owned()).to_vec();
    let series = Rhythm::ALL.map(|shape| {
        let count = |activity| {
            let of = |(_, _, c): &&(&str, usize, Characteristics)| {
                c.activity == activity && c.shape_by_majority == shape
            };
            found.iter().filter(of).count() as f64
        };
        let points = Activity::ALL.iter().enumerate().map(|(n, &a)| (n as f64, count(a)));
        Series::new(shape.name(), Style::Bars, points.collect())
    });
    Report {
        title: format!("{} sources, {} items in {} weeks", found.len(), trace.items(), trace.weeks),
        notes: vec![
            "Shapes by a majority of four hours in five. CV is the mean over the hours of deviation \
             over mean: small is regular."
                .to_owned(),
        ],
        table,
        json: json!({ "rows": found.iter().map(|(id, items, c)| json!({
            "stream_id": id, "items": items, "items_per_day": c.items_per_day,
            "activity_class": c.activity, "cv": c.variation,
            "shape": c.shape, "shape_80": c.shape_by_majority,
        })).collect::<Vec<_>>() }),
        charts: vec![Chart {
            title: String::new(),
            x: Axis::new("items a day", Scale::Named(names)),
            y: Axis::new("sources", Scale::Linear),
            series: series.to_vec(),
        }],
    }
}
