//! A drawing as PNG, at twice its nominal size so that it is sharp on high-resolution screens.

use std::io;

use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke as Pen, StrokeDash,
    Transform,
};
use ttf_parser::OutlineBuilder;

use super::drawing::{Anchor, Colour, Drawing, Fill, Point, Shape, Stroke, Text, Thread};
use super::font;

/// Pixels per page unit.
const DENSITY: f32 = 2.0;
/// Pixels per metre: the page unit is that of CSS, 96 to the inch.
const PIXELS_PER_METRE: u32 = (96.0 * DENSITY / 0.0254) as u32;

/// The drawing as the bytes of a PNG file.
pub(super) fn render(drawing: &Drawing) -> io::Result<Vec<u8>> {
    let pixels = |length: f64| (length as f32 * DENSITY).ceil().max(1.0) as u32;
    let mut canvas = Pixmap::new(pixels(drawing.width), pixels(drawing.height))
        .ok_or_else(|| io::Error::other("the drawing is too large for a bitmap"))?;
    canvas.fill(Color::WHITE);
    let page = Transform::from_scale(DENSITY, DENSITY);
    for shape in &drawing.shapes {
        match shape {
            Shape::Path { points, closed, fill, stroke } => {
                paint(&mut canvas, outline(points, *closed), *fill, *stroke, page);
            }
            Shape::Threads { threads, stroke } => {
                paint(&mut canvas, lines(threads), None, Some(*stroke), page);
            }
            Shape::Circle { centre: (x, y), radius, fill, stroke } => {
                let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                paint(&mut canvas, circle, *fill, *stroke, page);
            }
            Shape::Text(text) => {
                let fill = Some(Fill { colour: text.colour, opacity: 1.0 });
                let (x, y) = (text.at.0 as f32, text.at.1 as f32);
                let turned = page.pre_concat(Transform::from_rotate_at(text.angle as f32, x, y));
                paint(&mut canvas, letters(text), fill, None, turned);
            }
        }
    }
    encode(&canvas)
}

fn paint(
    canvas: &mut Pixmap,
    path: Option<Path>,
    fill: Option<Fill>,
    stroke: Option<Stroke>,
    transform: Transform,
) {
    let Some(path) = path else { return };
    if let Some(Fill { colour, opacity }) = fill {
        canvas.fill_path(&path, &ink(colour, opacity), FillRule::Winding, transform, None);
    }
    if let Some(Stroke { colour, width, dash, opacity }) = stroke {
        let pen = Pen {
            width: width as f32,
            line_join: LineJoin::Round,
            dash: dash.and_then(|(dash, gap)| StrokeDash::new(vec![dash as f32, gap as f32], 0.0)),
            ..Pen::default()
        };
        canvas.stroke_path(&path, &ink(colour, opacity), &pen, transform, None);
    }
}

fn ink(Colour(red, green, blue): Colour, opacity: f64) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, (opacity * 255.0).round() as u8);
    paint
}

fn outline(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, (x, y)) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

fn lines(threads: &[Thread]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for Thread { from, towards, to } in threads {
        path.move_to(from.0 as f32, from.1 as f32);
        match towards {
            Some((x, y)) => path.quad_to(*x as f32, *y as f32, to.0 as f32, to.1 as f32),
            None => path.line_to(to.0 as f32, to.1 as f32),
        }
    }
    path.finish()
}

fn letters(text: &Text) -> Option<Path> {
    let width = font::width(&text.content, text.size, text.bold);
    let start = match text.anchor {
        Anchor::Start => text.at.0,
        Anchor::Middle => text.at.0 - width / 2.0,
        Anchor::End => text.at.0 - width,
    };
    let mut pen = Letters { path: PathBuilder::new(), x: 0.0, y: text.at.1 as f32, scale: 1.0 };
    font::outline(&text.content, text.size, text.bold, &mut pen, |pen, offset, scale| {
        pen.x = (start + offset) as f32;
        pen.scale = scale as f32;
    });
    pen.path.finish()
}

/// Takes glyphs in font units, upwards, into page units, downwards.
struct Letters {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Letters {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) =
            (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn encode(canvas: &Pixmap) -> io::Result<Vec<u8>> {
    // The page is opaque, so premultiplied colours are plain ones and alpha can go.
    let pixels: Vec<u8> =
        canvas.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, canvas.width(), canvas.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: PIXELS_PER_METRE,
        yppu: PIXELS_PER_METRE,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}
