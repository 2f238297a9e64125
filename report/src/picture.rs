//! A drawing as a file: SVG or PNG.

use std::path::Path;

use crate::drawing::Drawing;
use crate::error::ReportError;
use crate::files::{self, PlotFormat};
use crate::{raster, svg};

impl Drawing {
    /// The drawing as an SVG document that stands alone.
    pub fn svg(&self) -> String {
        svg::render(self)
    }

    /// Draws it into `path`, as SVG or PNG by its extension.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        let bytes = match PlotFormat::of(path)? {
            PlotFormat::Svg => self.svg().into_bytes(),
            PlotFormat::Png => raster::render(self)
                .map_err(|source| ReportError::Write { path: path.to_owned(), source })?,
        };
        files::replace(path, &bytes)
    }
}
