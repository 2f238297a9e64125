//! Drawings one after the other: an animated SVG, for a browser.

use std::path::Path;

use crate::drawing::Drawing;
use crate::error::ReportError;
use crate::{files, svg};

/// Drawings of one size, shown in turn, again and again.
#[derive(Clone, Debug)]
pub struct Film {
    pub frames: Vec<Drawing>,
    /// Seconds per frame.
    pub seconds: f64,
}

impl Film {
    /// Writes it into `path`, which must end in .svg.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        check_film(path)?;
        files::replace(path, svg::animate(&self.frames, self.seconds).as_bytes())
    }
}

/// Refuses a path that a film cannot be written to; call it before a long run, not only after.
pub fn check_film(path: &Path) -> Result<(), ReportError> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("svg")) {
        return Err(ReportError::NoFilm { path: path.to_owned() });
    }
    files::check_target(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drawing::{Colour, Fill, Shape};

    #[test]
    fn every_frame_is_shown_for_its_share_of_the_time() {
        let circle = |x: f64| Shape::Circle {
            centre: (x, 5.0),
            radius: 2.0,
            fill: Some(Fill { colour: Colour(1, 2, 3), opacity: 1.0 }),
            stroke: None,
        };
        let frame = |x: f64| Drawing {
            width: 20.0,
            height: 10.0,
            title: "a film".to_owned(),
            shapes: vec![circle(x)],
        };
        let svg = svg::animate(&[frame(4.0), frame(8.0)], 0.5);
        assert_eq!(svg.matches("<svg").count(), 1);
        assert_eq!(svg.matches("<animate").count(), 2);
        assert!(svg.contains("values=\"none;inline\" keyTimes=\"0;0.5\" dur=\"1s\""), "{svg}");
        // A viewer without animation shows the first frame.
        assert!(svg.contains("<g><animate") && svg.contains("<g display=\"none\">"), "{svg}");
        let error = check_film(Path::new("film.png")).unwrap_err();
        assert!(error.to_string().contains(".svg"), "{error}");
    }
}
