//! Numbers as people write them beside an axis: few digits, true minus, powers of ten set small.

/// Text of a tick, with a power of ten set above the line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) text: String,
    pub(super) exponent: String,
}

/// The label of a tick on an axis with steps of `step` up to `largest`.
pub(super) fn linear_label(value: f64, step: f64, largest: f64) -> Label {
    if value.abs() < step * 1e-6 {
        return Label { text: "0".into(), ..Label::default() };
    }
    if largest < 1e6 && step > 0.999e-4 {
        let text = grouped(value, decimals(step));
        return Label { text, ..Label::default() };
    }
    let exponent = (value.abs().log10() + 1e-9).floor();
    let unit = 10f64.powf(exponent);
    let mantissa = grouped(value / unit, decimals(step / unit));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => &mantissa,
    };
    Label { text: format!("{mantissa}×10"), exponent: signed(format!("{exponent}")) }
}

/// The label of a round value, all digits written out.
pub(super) fn plain_label(value: f64) -> Label {
    Label { text: grouped(value, decimals(value)), ..Label::default() }
}

/// The label of a round value as a power of ten.
pub(super) fn power_label(value: f64) -> Label {
    let exponent = (value.log10() + 1e-9).floor();
    let mantissa = (value / 10f64.powf(exponent)).round();
    let text = if mantissa == 1.0 { "10".to_owned() } else { format!("{mantissa}×10") };
    Label { text, exponent: signed(format!("{exponent}")) }
}

/// Digits after the point that `step` needs.
fn decimals(step: f64) -> usize {
    let whole = |digits: &usize| {
        let scaled = step * 10f64.powi(*digits as i32);
        scaled >= 0.5 && (scaled - scaled.round()).abs() < 1e-6 * scaled
    };
    (0..12).find(whole).unwrap_or(12)
}

/// The number with a true minus and, from 10,000 on, groups of three digits.
fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let start = usize::from(text.starts_with('-'));
    let point = text.find('.').unwrap_or(text.len());
    let mut grouped = String::new();
    for (index, c) in text.char_indices() {
        if index > start && index < point && point - start > 4 && (point - index).is_multiple_of(3)
        {
            grouped.push(',');
        }
        grouped.push(c);
    }
    signed(grouped)
}

fn signed(text: String) -> String {
    text.replace('-', "−")
}
