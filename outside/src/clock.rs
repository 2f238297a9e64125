//! The node's only clock. Everything else is told the time, in seconds since the Unix epoch.
//!
//! Why a type: the demo and the experiments run a node in accelerated time. A clock of speed 60 shows a
//! minute for every second that passes; whoever waits by it waits a sixtieth of the time. Network timeouts
//! are never accelerated, because the network is not. A test can move a [`ManualClock`] by hand.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tokio::time::Instant;

/// A clock that everybody in one node shares. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Clock(Hands);

#[derive(Debug, Clone)]
enum Hands {
    Running {
        /// By the time of the runtime, so a runtime that is paused pauses it, too.
        started: Instant,
        /// What the clock showed when it was started.
        epoch: f64,
        speed: f64,
    },
    Manual(Arc<watch::Sender<f64>>),
}

impl Clock {
    /// The real time.
    pub fn real() -> Self {
        Self::accelerated(1.0)
    }

    /// Starts at the real time and runs `speed` times as fast.
    pub fn accelerated(speed: f64) -> Self {
        Self::running(|now| now, speed)
    }

    /// Showed the real time at the instant `start` (seconds since the Unix epoch) and runs `speed` times
    /// as fast since then, so that several processes can share one accelerated time.
    pub fn accelerated_since(start: f64, speed: f64) -> Self {
        Self::running(|now| start + (now - start) * speed.max(SLOWEST), speed)
    }

    /// A clock that shows `epoch` of the real time now.
    #[expect(clippy::disallowed_methods, reason = "the system's time enters the node here")]
    fn running(epoch: impl FnOnce(f64) -> f64, speed: f64) -> Self {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let (started, epoch) = (Instant::now(), epoch(since_epoch.as_secs_f64()));
        Self(Hands::Running { started, epoch, speed: speed.max(SLOWEST) })
    }

    /// A clock that shows `now` and goes on with the time of the runtime, whatever the machine's clock shows.
    pub fn set_to(now: f64) -> Self {
        Self(Hands::Running { started: Instant::now(), epoch: now, speed: 1.0 })
    }

    /// The clock that the configuration asks for.
    pub fn configured(settings: &pergola_config::Clock) -> Self {
        match settings.epoch {
            Some(epoch) if settings.speed != 1.0 => Self::accelerated_since(epoch, settings.speed),
            _ => Self::accelerated(settings.speed),
        }
    }

    /// Seconds since the Unix epoch.
    pub fn now(&self) -> f64 {
        match &self.0 {
            Hands::Running { started, epoch, speed } => {
                epoch + started.elapsed().as_secs_f64() * speed
            }
            Hands::Manual(shown) => *shown.borrow(),
        }
    }

    /// How many times as fast as the real time it runs.
    pub fn speed(&self) -> f64 {
        match &self.0 {
            Hands::Running { speed, .. } => *speed,
            Hands::Manual(_) => 1.0,
        }
    }

    /// Real time to wait until the clock shows `instant`; nothing if it has passed.
    pub fn real_time_until(&self, instant: f64) -> Duration {
        let seconds = ((instant - self.now()) / self.speed()).clamp(0.0, 86_400.0);
        Duration::from_secs_f64(seconds)
    }

    /// Waits until the clock shows `instant` (at most a real day, so that nobody waits for ever).
    pub async fn sleep_until(&self, instant: f64) {
        match &self.0 {
            Hands::Running { .. } => tokio::time::sleep(self.real_time_until(instant)).await,
            Hands::Manual(shown) => {
                // The sender lives as long as this clock, so this cannot fail.
                let _ = shown.subscribe().wait_for(|now| *now >= instant).await;
            }
        }
    }
}

/// The slowest speed.
const SLOWEST: f64 = 1e-6;

/// A clock that stands still until it is moved by hand.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<watch::Sender<f64>>);

impl ManualClock {
    /// Shows `now`.
    pub fn new(now: f64) -> Self {
        Self(Arc::new(watch::Sender::new(now)))
    }

    /// The clock to give to a node.
    pub fn clock(&self) -> Clock {
        Clock(Hands::Manual(Arc::clone(&self.0)))
    }

    /// Moves the clock forward and wakes whoever waits for that.
    pub fn advance(&self, seconds: f64) {
        self.0.send_modify(|now| *now += seconds.max(0.0));
    }
}

/// The time by which the network and its callers are timed: real, whatever the node's clock shows. It is the
/// runtime's time, so a test that pauses the runtime pauses it, too.
pub fn network_now() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_accelerated_clock_waits_for_a_fraction_of_the_time() {
        let clock = Clock::accelerated(600.0);
        let wait = clock.real_time_until(clock.now() + 600.0);
        assert!(wait <= Duration::from_secs(1) && wait > Duration::from_millis(900), "{wait:?}");
        assert_eq!(clock.real_time_until(0.0), Duration::ZERO);
    }

    #[tokio::test]
    async fn a_clock_moved_by_hand_wakes_whoever_waits() {
        let manual = ManualClock::new(1_000.0);
        let clock = manual.clock();
        let waiting = tokio::spawn(async move {
            clock.sleep_until(1_060.0).await;
            clock.now()
        });
        manual.advance(59.0);
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        manual.advance(2.0);
        assert_eq!(waiting.await.unwrap(), 1_061.0);
    }

    #[test]
    fn clocks_accelerated_since_the_same_instant_show_the_same_time() {
        let start = Clock::real().now() - 10.0;
        let (one, other) =
            (Clock::accelerated_since(start, 100.0), Clock::accelerated_since(start, 100.0));
        let shown = one.now() - start;
        assert!((1_000.0..1_100.0).contains(&shown), "ten seconds are a thousand, not {shown}");
        assert!((other.now() - one.now()).abs() < 50.0);
    }

    #[test]
    fn an_epoch_means_nothing_at_the_speed_of_life() {
        let real = Clock::real();
        let settings = pergola_config::Clock { speed: 1.0, epoch: Some(1_000_000.0) };
        assert!((Clock::configured(&settings).now() - real.now()).abs() < 60.0);
    }

    #[test]
    fn clocks_with_one_epoch_agree() {
        let epoch = Clock::real().now() - 100.0;
        let settings = pergola_config::Clock { speed: 600.0, epoch: Some(epoch) };
        let (one, other) = (Clock::configured(&settings), Clock::configured(&settings));
        assert!(one.now() - epoch >= 60_000.0, "{}", one.now() - epoch);
        assert!((one.now() - other.now()).abs() < 600.0);
    }
}
