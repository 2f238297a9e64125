//! When does a page change next? Dynamo's smoothed interval beside the other models of a node.
//!
//! All models see each change when it happens, without a date, and predict the time to the next one. They learn
//! from the first half of a series and are judged by the second half. Errors are relative to that of the mean of
//! all intervals so far: below 1 a model knows more than the mean rate.

use pergola_refresh::{
    Calendar, DAY, Dynamo, GammaPoisson, Invalid, MovingAverage, Observation, PublicationModel,
};

use super::Changes;

/// Changes per second that all models assume at first: one a day.
const PRIOR: f64 = 1.0 / DAY;
/// Parts of a day for the sum over a forecast; a calendar has no finer ones.
const PARTS: usize = 288;
/// Days of the sum; beyond, the mean rate is good enough.
const AHEAD: usize = 28;

/// The names of the models, as in the tables.
pub(super) const NAMES: [&str; 4] = ["dynamo", "moving average", "gamma", "calendar"];

/// Mean squared errors of the models in the order of [`NAMES`], over that of the mean so far. `None` for a
/// series whose mean makes no error.
pub(super) fn errors(changes: &Changes) -> Result<Option<[f64; NAMES.len()]>, Invalid> {
    let mut dynamo = Dynamo::new(PRIOR)?;
    let mut moving = MovingAverage::new(PRIOR)?;
    let mut gamma = GammaPoisson::new(PRIOR)?;
    let mut calendar = Calendar::new(PRIOR)?;
    let mut squares = [0.0; NAMES.len()];
    let mut squares_of_mean = 0.0;
    let mut now = changes.start;
    for (number, &interval) in changes.intervals.iter().enumerate() {
        if number >= changes.intervals.len() / 2 {
            let predicted = [
                dynamo.interval(),
                1.0 / moving.mean_rate(),
                1.0 / gamma.mean_rate(),
                waiting_time(&calendar, now),
            ];
            for (sum, predicted) in squares.iter_mut().zip(predicted) {
                *sum += (predicted - interval).powi(2);
            }
            let mean = (now - changes.start) / number.max(1) as f64;
            squares_of_mean += (mean - interval).powi(2);
        }
        let (at, since) = (now + interval, Some(now));
        let seen = Observation { at, since, new_items: 1, window: 20, censored: false, dates: &[] };
        dynamo.learn(&seen);
        moving.learn(&seen);
        gamma.learn(&seen);
        calendar.learn(&seen);
        now = at;
    }
    Ok((squares_of_mean > 0.0).then(|| squares.map(|sum| sum / squares_of_mean)))
}

/// The mean time from `now` to the next item of a Poisson process with the rates of the forecast: the integral of
/// the chance that no item has come.
fn waiting_time(model: &impl PublicationModel, now: f64) -> f64 {
    let step = DAY / PARTS as f64;
    let mut bins = [0.0; PARTS];
    let (mut expected, mut time) = (0.0_f64, 0.0);
    for day in 0..AHEAD {
        model.forecast(now + day as f64 * DAY, step, &mut bins);
        for items in bins {
            // Within a part the rate is constant: ∫ exp(−x·items) over x from 0 to 1.
            let share = if items > 1e-9 { -(-items).exp_m1() / items } else { 1.0 };
            time += (-expected).exp() * step * share;
            expected += items;
        }
        if expected > 12.0 {
            return time;
        }
    }
    time + (-expected).exp() / model.mean_rate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pergola_refresh::HOUR;

    #[test]
    fn at_a_constant_rate_the_waiting_time_is_its_inverse() {
        for hours in [0.1, 3.0, 50.0, 2000.0] {
            let model = pergola_refresh::Constant::new(1.0 / (hours * HOUR)).unwrap();
            let waiting = waiting_time(&model, 12_345.0) / HOUR;
            assert!((waiting / hours - 1.0).abs() < 1e-3, "{waiting} instead of {hours}");
        }
    }

    #[test]
    fn dynamo_predicts_intervals_that_drift() {
        // Intervals grow by a tenth each time: a short memory is close.
        let drifting = Changes {
            kind: "",
            start: 0.0,
            intervals: (0..60).map(|n| HOUR * 1.1f64.powi(n)).collect(),
        };
        let [dynamo, moving, gamma, _] = errors(&drifting).unwrap().unwrap();
        assert!(dynamo < moving && dynamo < gamma && dynamo < 0.1, "{dynamo} {moving} {gamma}");
        let steady = Changes { kind: "", start: 0.0, intervals: vec![HOUR; 20] };
        assert_eq!(errors(&steady).unwrap(), None);
    }
}
