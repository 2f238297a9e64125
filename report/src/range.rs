//! From values to fractions of an axis: its limits, and ticks at round values.
//!
//! This is arithmetic with many corner cases (no data, one value, zero on a logarithmic axis, huge numbers), so it
//! is tested without drawing anything.

use super::chart::{Axis, Scale};
use super::label::{Label, linear_label, plain_label, power_label};

/// Magnitudes beyond this count as infinite, and below its inverse as zero, so that differences
/// and quotients stay finite.
const HUGE: f64 = 1e300;

/// How the limits of an axis follow from its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Just wider than the data.
    Tight,
    /// Out to this many round steps; to zero if that is near.
    Round(usize),
    /// Out to this many round steps, zero always included.
    FromZero(usize),
}

/// An axis whose limits are decided.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// In units of length: logarithms on a logarithmic axis.
    low: f64,
    high: f64,
    scale: Scale,
    /// The experiment gave the limits; they must not change.
    fixed: bool,
    /// Ticks at whole numbers only.
    whole: bool,
    /// The step that the limits are multiples of.
    step: Option<f64>,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Where: 0 is the start of the axis, 1 its end.
    pub(super) at: f64,
    /// Absent on lines between two labelled ones.
    pub(super) label: Option<Label>,
}

impl Range {
    /// Decides the limits of `axis` for `values`.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>, fit: Fit) -> Self {
        let (scale, whole) = (axis.scale.clone(), axis.whole);
        let fixed =
            axis.range.and_then(|(first, last)| Some((rank(&scale, first)?, rank(&scale, last)?)));
        if let Some((low, high)) = fixed.filter(|(low, high)| low < high) {
            return Self { low, high, scale, fixed: true, whole, step: None };
        }
        let (low, high) = values
            .filter_map(|value| rank(&scale, value))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high, step) = match &scale {
            Scale::Named(names) => (-0.5, names.len().max(1) as f64 - 0.5, None),
            _ if low > high => (0.0, 1.0, None),
            Scale::Log => fit_log(low, high, fit),
            Scale::Linear => fit_linear(low, high, fit, whole),
        };
        Self { low, high, scale, fixed: false, whole, step }
    }

    /// Where a value lies: from 0 to 1 inside the limits; none if it cannot be shown at all.
    pub(super) fn fraction(&self, value: f64) -> Option<f64> {
        rank(&self.scale, value).map(|rank| self.fraction_of_rank(rank))
    }

    /// Where bars begin: at zero, or at the start of a logarithmic axis.
    pub(super) fn base(&self) -> f64 {
        self.fraction(0.0).unwrap_or(0.0).clamp(0.0, 1.0)
    }

    /// Makes room for `margin`, a fraction of the axis, at both ends.
    pub(super) fn widen(&mut self, margin: f64) {
        if !self.fixed && !matches!(self.scale, Scale::Named(_)) {
            let margin = margin * (self.high - self.low);
            (self.low, self.high) = (self.low - margin, self.high + margin);
        }
    }

    /// The names on the axis, if it has names.
    pub(super) fn names(&self) -> Option<&[String]> {
        if let Scale::Named(names) = &self.scale { Some(names) } else { None }
    }

    /// About `wanted` labelled ticks, in order.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<Tick> {
        match &self.scale {
            Scale::Linear => self.linear_ticks(wanted),
            Scale::Log => self.log_ticks(wanted),
            Scale::Named(names) => {
                let tick = |(index, name): (usize, &String)| Tick {
                    at: self.fraction_of_rank(index as f64),
                    label: Some(Label { text: name.clone(), ..Label::default() }),
                };
                names.iter().enumerate().map(tick).collect()
            }
        }
    }

    fn fraction_of_rank(&self, rank: f64) -> f64 {
        (rank - self.low) / (self.high - self.low)
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<Tick> {
        let step = self.step.unwrap_or_else(|| step(self.high - self.low, wanted, self.whole));
        let largest = self.low.abs().max(self.high.abs());
        multiples(self.low, self.high, step)
            .map(|value| Tick {
                at: self.fraction_of_rank(value),
                label: Some(linear_label(value, step, largest)),
            })
            .collect()
    }

    fn log_ticks(&self, wanted: usize) -> Vec<Tick> {
        let (first, last) = ((self.low - 1e-9).ceil(), (self.high + 1e-9).floor());
        let decades = (last - first + 1.0).max(0.0);
        let stride = ((decades - 1.0) / wanted.max(1) as f64).ceil().max(1.0);
        let inside =
            |value: f64| (-1e-9..=1.0 + 1e-9).contains(&self.fraction(value).unwrap_or(2.0));
        // With few decades 2 and 5 get labels too; with less than half of one, round values do.
        let labelled =
            |mantissa: u32| mantissa == 1 || (decades < 3.0 && [2, 5].contains(&mantissa));
        let minors = stride == 1.0 && decades - 1.0 <= 0.7 * wanted as f64;
        let mut marks = Vec::new();
        for decade in 0..=(decades as i32) {
            let exponent = first as i32 - 1 + decade;
            for mantissa in 1..10 {
                let value = f64::from(mantissa) * 10f64.powi(exponent);
                let on_stride = f64::from(decade - 1).rem_euclid(stride) == 0.0;
                let labelled = on_stride && labelled(mantissa);
                if inside(value) && (labelled || minors) {
                    marks.push((value, labelled));
                }
            }
        }
        if marks.iter().filter(|(_, labelled)| *labelled).count() < 2 {
            let (low, high) = (10f64.powf(self.low), 10f64.powf(self.high));
            let step = round_step(high - low, wanted);
            let tick = |value| {
                let label = Some(linear_label(value, step, high));
                Some(Tick { at: self.fraction(value)?, label })
            };
            return multiples(low, high, step).filter_map(tick).collect();
        }
        let plain = marks.iter().filter(|m| m.1).all(|m| (0.00099..=10_001.0).contains(&m.0));
        let tick = |(value, labelled): (f64, bool)| {
            let label =
                labelled.then(|| if plain { plain_label(value) } else { power_label(value) });
            Some(Tick { at: self.fraction(value)?, label })
        };
        marks.into_iter().filter_map(tick).collect()
    }
}

/// Whether an axis of this scale has a place for the value.
pub(super) fn shows(scale: &Scale, value: f64) -> bool {
    rank(scale, value).is_some()
}

/// The position of a value in units of length; none if the axis cannot show it.
fn rank(scale: &Scale, value: f64) -> Option<f64> {
    match scale {
        _ if value.is_nan() || value.abs() > HUGE => None,
        Scale::Log if value < 1.0 / HUGE => None,
        Scale::Log => Some(value.log10()),
        Scale::Linear | Scale::Named(_) if value.abs() < 1.0 / HUGE => Some(0.0),
        Scale::Linear | Scale::Named(_) => Some(value),
    }
}

fn fit_linear(mut low: f64, mut high: f64, fit: Fit, whole: bool) -> (f64, f64, Option<f64>) {
    let near_zero = low > 0.0 && low < 0.5 * high || high < 0.0 && high > 0.5 * low;
    if matches!(fit, Fit::FromZero(_)) || matches!(fit, Fit::Round(_)) && near_zero {
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    let size = low.abs().max(high.abs());
    if high - low <= size * 1e-9 {
        let margin = if size == 0.0 { 1.0 } else { size * 0.5 };
        (low, high) = (low - margin, high + margin);
    }
    let (Fit::Round(wanted) | Fit::FromZero(wanted)) = fit else {
        let margin = (high - low) * 0.02;
        let floor = if low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
        return ((low - margin).max(floor), high + margin, None);
    };
    let step = step(high - low, wanted, whole);
    let (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
    (low, high, Some(step))
}

fn fit_log(low: f64, high: f64, fit: Fit) -> (f64, f64, Option<f64>) {
    if high - low < 1e-9 {
        return (low - 0.5, high + 0.5, None);
    }
    if fit != Fit::Tight && high - low > 2.5 {
        return ((low + 1e-9).floor(), (high - 1e-9).ceil(), None);
    }
    let margin = (high - low) * 0.04;
    (low - margin, high + margin, None)
}

/// The round step on a linear axis, at least 1 where only whole numbers count.
fn step(span: f64, wanted: usize, whole: bool) -> f64 {
    let step = round_step(span, wanted);
    if whole { step.max(1.0) } else { step }
}

/// The step of 1, 2, 2.5 or 5 times a power of ten that cuts `span` into about `wanted` parts.
fn round_step(span: f64, wanted: usize) -> f64 {
    let rough = (span / wanted.max(1) as f64).max(f64::MIN_POSITIVE * 1e6);
    let power = 10f64.powf(rough.log10().floor());
    // Not 2.5 itself: among whole numbers a step with a fraction is not round.
    let factors: &[f64] = if power == 1.0 { &[1.0, 2.0, 5.0] } else { &[1.0, 2.0, 2.5, 5.0] };
    let factor = factors.iter().find(|factor| *factor * power >= rough * 0.9);
    factor.unwrap_or(&10.0) * power
}

fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let first = (low / step - 1e-6).ceil();
    let count = ((high / step + 1e-6).floor() - first).clamp(-1.0, 100.0) as i64 + 1;
    (0..count).map(move |i| (first + i as f64) * step)
}

#[cfg(test)]
mod tests;
