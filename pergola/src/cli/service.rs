//! What the service manager is told, if one started the node and wants to know.

use std::time::Duration;

use sd_notify::NotifyState;

/// The node answers.
pub(super) fn ready() {
    tell(&[NotifyState::Ready]);
}

/// The configuration is being read again; [`ready`] follows.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "the service manager cannot be told of a reload"),
    }
}

/// The node is draining.
pub(super) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// The node is alive; wanted once in every [`heartbeat`] at least.
pub(super) fn alive() {
    tell(&[NotifyState::Watchdog]);
}

/// How often the service manager is to be told that the node is alive: twice as often as it asks for.
pub(super) fn heartbeat() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|patience| (patience / 2).max(Duration::from_millis(10)))
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager cannot be told how the node stands");
    }
}
