//! Colours around the colour circle, all equally light (OKLCH), so that none stands out by chance.

use pergola_report::drawing::Colour;

/// Text.
pub(super) const INK: Colour = Colour(0x26, 0x2b, 0x31);
/// Secondary text.
pub(super) const GREY: Colour = Colour(0x7a, 0x81, 0x88);
/// Guide lines.
pub(super) const FAINT: Colour = Colour(0xe6, 0xe9, 0xec);
/// Rims of dots.
pub(super) const WHITE: Colour = Colour(0xff, 0xff, 0xff);

/// The colour at `turn`, from 0 to 1 around the circle.
pub(super) fn hue(turn: f64) -> Colour {
    let (lightness, chroma) = (0.62, 0.155);
    // An offset that makes the first few hues blue, green and orange.
    let (sin, cos) = ((turn + 0.68) * std::f64::consts::TAU).sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548 * b).powi(3);
    let channel = |linear: f64| {
        let linear = linear.clamp(0.0, 1.0);
        let curved = match linear <= 0.003_130_8 {
            true => 12.92 * linear,
            false => 1.055 * linear.powf(1.0 / 2.4) - 0.055,
        };
        (curved * 255.0).round() as u8
    };
    Colour(
        channel(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        channel(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        channel(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s),
    )
}
