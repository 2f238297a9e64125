//! Pictures, judged by the shapes they consist of and by their bytes.

use crate::chart::{Axis, Chart, Scale, Series, Style};
use crate::drawing::{Anchor, Colour, Drawing, Point, Shape, Stroke, Text, Thread};
use crate::{font, layout, raster, svg};

const STYLES: [Style; 5] = [Style::Line, Style::Dashed, Style::Points, Style::Steps, Style::Bars];

fn chart(scale: Scale, series: Vec<Series>) -> Chart {
    let (x, y) =
        (Axis::new("refreshes per cycle", scale.clone()), Axis::new("completeness", scale));
    Chart { title: "one of many".to_owned(), x, y, series }
}

fn curve(count: usize) -> Vec<(f64, f64)> {
    (1..=count).map(|i| (i as f64, 1.0 - 1.0 / i as f64)).collect()
}

/// Charts of every kind, from the everyday to the absurd.
fn pages() -> Vec<Vec<Chart>> {
    let long = "a name that goes on and on, far beyond what any legend would like to hold";
    let six =
        |style| (0..6).map(|i| Series::new(format!("{long} {i}"), style, curve(12 + i))).collect();
    let nasty: [Vec<(f64, f64)>; 8] = [
        vec![],
        vec![(f64::NAN, 1.0), (1.0, f64::NAN)],
        vec![(f64::INFINITY, 1.0), (1.0, f64::NEG_INFINITY), (2.0, 3.0)],
        vec![(5.0, 5.0)],
        vec![(1.0, 7.0), (2.0, 7.0), (3.0, 7.0)],
        vec![(0.0, 0.0), (-1.0, -2.0), (1.0, 10.0), (100.0, 1e5)],
        vec![(1e-300, 1e300), (1e299, -1e299), (f64::MAX, f64::MIN_POSITIVE)],
        (0..5000).map(|i| (f64::from(i), f64::from(i % 7))).collect(),
    ];
    let mut pages = Vec::new();
    for style in STYLES {
        pages.push(vec![chart(Scale::Linear, six(style))]);
        for scale in [Scale::Linear, Scale::Log] {
            let each = |points: &Vec<_>| {
                let deviations = vec![0.5, f64::NAN, -3.0, f64::INFINITY, 1e300];
                let series =
                    Series::new("nasty", style, points.clone()).with_deviations(deviations);
                chart(scale.clone(), vec![series.emphasised(true)])
            };
            pages.push(nasty.iter().map(each).collect());
        }
        let names =
            |count| Scale::Named((0..count).map(|i| format!("strategy number {i}")).collect());
        pages.push(
            [0, 1, 6, 60]
                .map(|n| Chart { x: Axis::new("", names(n)), ..chart(Scale::Linear, six(style)) })
                .into(),
        );
    }
    pages.push(vec![chart(
        Scale::Linear,
        (0..30).map(|i| Series::new(i.to_string(), Style::Line, curve(5))).collect(),
    )]);
    pages
}

/// Every place a shape touches; for text the corners of its box, in the embedded face.
fn places(shape: &Shape) -> Vec<Point> {
    match shape {
        Shape::Path { points, .. } => points.clone(),
        Shape::Threads { threads, .. } => threads.iter().flat_map(|t| [t.from, t.to]).collect(),
        Shape::Circle { centre: (x, y), radius: r, .. } => vec![(x - r, y - r), (x + r, y + r)],
        Shape::Text(text) => corners(text).into(),
    }
}

fn corners(text: &Text) -> [Point; 4] {
    let width = font::width(&text.content, text.size, text.bold);
    let start = match text.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -width / 2.0,
        Anchor::End => -width,
    };
    let (up, down) = (-text.size * 0.75, text.size * 0.2);
    let (sin, cos) = text.angle.to_radians().sin_cos();
    [(start, up), (start + width, up), (start + width, down), (start, down)]
        .map(|(x, y)| (text.at.0 + x * cos - y * sin, text.at.1 + x * sin + y * cos))
}

fn upright_texts(drawing: &Drawing) -> Vec<(&str, [Point; 4])> {
    let mut texts = Vec::new();
    for shape in &drawing.shapes {
        if let Shape::Text(text) = shape
            && text.angle == 0.0
        {
            texts.push((text.content.as_str(), corners(text)));
        }
    }
    texts
}

fn path_of(drawing: &Drawing, width: f64) -> Vec<Point> {
    let path = |shape: &Shape| match shape {
        Shape::Path { points, closed: false, stroke: Some(stroke), .. }
            if stroke.width == width =>
        {
            Some(points.clone())
        }
        _ => None,
    };
    drawing.shapes.iter().find_map(path).unwrap()
}

#[test]
fn whatever_the_data_every_shape_is_finite_and_on_the_page() {
    for (index, page) in pages().iter().enumerate() {
        let drawing = layout::draw("A title", page);
        let on_page = |(x, y): &Point| {
            (0.0..=drawing.width).contains(x) && (0.0..=drawing.height).contains(y)
        };
        for shape in &drawing.shapes {
            assert!(places(shape).iter().all(on_page), "page {index}: {shape:?}");
        }
    }
}

#[test]
fn texts_never_cover_each_other() {
    for (index, page) in pages().iter().enumerate() {
        let drawing = layout::draw(&"A long title ".repeat(20), page);
        let texts = upright_texts(&drawing);
        for (i, (one, a)) in texts.iter().enumerate() {
            for (other, b) in &texts[i + 1..] {
                let apart =
                    a[1].0 <= b[0].0 || b[1].0 <= a[0].0 || a[2].1 <= b[0].1 || b[2].1 <= a[0].1;
                assert!(apart, "page {index}: {one:?} and {other:?}");
            }
        }
    }
}

#[test]
fn svg_is_well_formed_whatever_the_names() {
    let evil = Series::new("a < b & \"c\" > 'd' \u{0}\u{8}", Style::Line, curve(3));
    let drawing = layout::draw("<&>", &[chart(Scale::Linear, vec![evil])]);
    let text = svg::render(&drawing);
    assert!(text.contains("a &lt; b &amp; &quot;c&quot; &gt; 'd'"), "{text}");
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty());
    for (index, page) in pages().iter().enumerate() {
        let text = svg::render(&layout::draw("", page));
        assert!(!text.contains("NaN") && !text.contains("inf\""), "page {index}");
    }
}

#[test]
fn png_can_be_read_back_at_twice_the_size_of_the_page() {
    let drawing = layout::draw("A title", &[chart(Scale::Linear, vec![])]);
    let bytes = raster::render(&drawing).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let size = (reader.info().width, reader.info().height);
    assert_eq!(size, (2 * drawing.width as u32, 2 * drawing.height as u32));
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels[..3], [255, 255, 255], "the page is white");
    assert!(pixels.iter().any(|tone| *tone < 100), "something is drawn on it");
}

#[test]
fn every_page_can_be_painted() {
    for page in pages().iter().step_by(3) {
        assert!(raster::render(&layout::draw("A title", page)).unwrap().len() > 1000);
    }
}

#[test]
fn points_that_are_not_numbers_are_left_out_of_a_line() {
    let with_gap = vec![(0.0, 0.0), (1.0, f64::NAN), (f64::INFINITY, 1.0), (2.0, 1.0)];
    let drawing =
        layout::draw("", &[chart(Scale::Linear, vec![Series::new("a", Style::Line, with_gap)])]);
    assert_eq!(path_of(&drawing, 1.9).len(), 2);
}

#[test]
fn a_line_is_cut_where_it_leaves_the_given_range() {
    let series = Series::new("a", Style::Line, vec![(0.0, 0.0), (10.0, 10.0)]);
    let mut cut = chart(Scale::Linear, vec![series]);
    cut.x = cut.x.within(0.0, 10.0);
    cut.y = cut.y.within(2.0, 4.0);
    let drawing = layout::draw("", &[cut]);
    let line = path_of(&drawing, 1.9);
    let [(x1, y1), (x2, y2)] = line[..] else { panic!("{line:?}") };
    assert!((y1 - y2 - 390.0).abs() < 0.01 && x1 < x2, "from bottom to top: {line:?}");
}

#[test]
fn a_name_has_the_same_colour_in_every_panel_and_one_entry_in_the_legend() {
    let series =
        |names: &[&str]| names.iter().map(|n| Series::new(*n, Style::Line, curve(3))).collect();
    let page = [chart(Scale::Linear, series(&["a", "b"])), chart(Scale::Linear, series(&["b"]))];
    let drawing = layout::draw("", &page);
    let entries = upright_texts(&drawing).iter().filter(|(text, _)| *text == "b").count();
    assert_eq!(entries, 1);
    let strokes = |shape: &Shape| match shape {
        Shape::Path { closed: false, stroke: Some(s), .. } if s.width == 1.6 => Some(s.colour),
        _ => None,
    };
    let colours: Vec<_> = drawing.shapes.iter().filter_map(strokes).collect();
    assert_eq!(colours[1..], [colours[1], colours[0], colours[1], colours[1]]);
}

#[test]
fn points_that_fall_on_the_same_spot_are_drawn_once() {
    let points = (0..100_000).map(|i| (f64::from(i % 10), f64::from(i % 7))).collect();
    let cloud = chart(Scale::Linear, vec![Series::new("", Style::Points, points)]);
    let drawing = layout::draw("", &[cloud]);
    let circles = drawing.shapes.iter().filter(|shape| matches!(shape, Shape::Circle { .. }));
    assert_eq!(circles.count(), 70);
}

#[test]
fn a_long_line_is_thinned_but_keeps_its_extremes() {
    let mut points: Vec<_> = (0..100_000).map(|i| (f64::from(i), 0.5)).collect();
    points[51_234].1 = 1.0;
    points[51_239].1 = 0.0;
    let drawing =
        layout::draw("", &[chart(Scale::Linear, vec![Series::new("a", Style::Line, points)])]);
    let line = path_of(&drawing, 1.9);
    assert!(line.len() < 6_000, "{}", line.len());
    let heights = line.iter().map(|(_, y)| *y);
    let span = heights.clone().fold(0.0, f64::max) - heights.fold(f64::INFINITY, f64::min);
    assert!((span - 390.0).abs() < 0.01, "{span}");
}

#[test]
fn threads_are_one_path_and_can_be_seen_through() {
    let line = |y: f64, towards| Thread { from: (2.0, y), towards, to: (18.0, y) };
    let threads = vec![line(5.0, None), line(15.04, Some((10.0, 9.5)))];
    let stroke = Stroke::solid(Colour(255, 0, 0), 4.0).opaque(0.5);
    let shapes = vec![Shape::Threads { threads, stroke }];
    let drawing = Drawing { width: 20.0, height: 20.0, title: String::new(), shapes };
    let text = svg::render(&drawing);
    assert!(text.contains("d=\"M2 5L18 5M2 15Q10 9.5 18 15\""), "{text}");
    assert!(text.contains("stroke-opacity=\"0.5\""), "{text}");
    let bytes = raster::render(&drawing).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    // Twice the size: the middle of the first line is the pixel (20, 10) of 40.
    let middle = (10 * 40 + 20) * 3;
    assert_eq!(pixels[middle], 255);
    assert!((120..=135).contains(&pixels[middle + 1]), "{:?}", &pixels[middle..middle + 3]);
}
