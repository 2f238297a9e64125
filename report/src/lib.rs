//! How results are shown: tables for terminals, and with the feature `draw` whole reports as text, JSON, CSV and
//! charts, and drawings that are no charts ([`drawing`]).
//!
//! An experiment computes and knows nothing of terminals, files or pixels. So its result can be tested as data,
//! and all results are shown alike.
//!
//! Invariants: a file appears whole or not at all; equal reports give equal bytes; values that no chart can show
//! (not finite, or not positive on a logarithmic axis) are left out, never drawn.
//!
//! # Modules, from the bottom up
//!
//! - `table`: rows and columns as aligned text
//! - `progress`: a progress bar for long runs
//! - `error`: why a report could not be shown
//! - `files`: writes files whole or not at all, and tells the format of a plot by its name
//! - `csv_file`: a table as CSV
//! - `chart`: what a chart shows
//! - `label`: numbers beside an axis
//! - `range`: from values to fractions of an axis
//! - `font`: the embedded typeface
//! - `drawing`: shapes on a page
//! - `palette`: colours and markers
//! - `svg`: a drawing as SVG
//! - `raster`: a drawing as PNG
//! - `picture`: a drawing as a file
//! - `film`: drawings one after the other, as a file
//! - `plot`: the area of a chart's data, and the mapping from data to the page
//! - `axes`: grid, ticks and their labels
//! - `marks`: lines, markers, bars and whiskers
//! - `legend`: the names of the series
//! - `panel`: one chart on the page
//! - `layout`: the page
//! - `report`: the result of an experiment, shown in four ways

#[cfg(feature = "draw")]
mod axes;
#[cfg(feature = "draw")]
mod chart;
#[cfg(feature = "draw")]
mod csv_file;
#[cfg(feature = "draw")]
pub mod drawing;
#[cfg(feature = "draw")]
mod error;
#[cfg(feature = "draw")]
mod files;
#[cfg(feature = "draw")]
mod film;
#[cfg(feature = "draw")]
mod font;
#[cfg(feature = "draw")]
mod label;
#[cfg(feature = "draw")]
mod layout;
#[cfg(feature = "draw")]
mod legend;
#[cfg(feature = "draw")]
mod marks;
#[cfg(feature = "draw")]
mod palette;
#[cfg(feature = "draw")]
mod panel;
#[cfg(feature = "draw")]
mod picture;
#[cfg(feature = "draw")]
mod plot;
pub mod progress;
#[cfg(feature = "draw")]
mod range;
#[cfg(feature = "draw")]
mod raster;
#[cfg(feature = "draw")]
mod report;
#[cfg(feature = "draw")]
mod svg;
pub mod table;

pub use table::{Align, Cell, Column, Table};

#[cfg(feature = "draw")]
pub use {
    chart::{Axis, Chart, Scale, Series, Style},
    error::ReportError,
    film::{Film, check_film},
    report::{Report, check_paths},
};

#[cfg(all(test, feature = "draw"))]
mod tests;
