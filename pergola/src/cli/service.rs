//! Notifications to the service manager (systemd), if one started the node.

use std::time::Duration;

use sd_notify::NotifyState;

/// The node is ready.
pub(super) fn ready() {
    tell(&[NotifyState::Ready]);
}

/// The node reads its configuration again; [`ready`] follows.
pub(super) fn reloading() {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => tell(&[NotifyState::Reloading, now]),
        Err(error) => tracing::warn!(%error, "cannot notify the service manager of a reload"),
    }
}

/// The node is stopping.
pub(super) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// The node is alive; to be sent once in every [`heartbeat`].
pub(super) fn alive() {
    tell(&[NotifyState::Watchdog]);
}

/// How often to send [`alive`]: twice as often as the service manager asks for.
pub(super) fn heartbeat() -> Option<Duration> {
    sd_notify::watchdog_enabled().map(|patience| (patience / 2).max(Duration::from_millis(10)))
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "cannot notify the service manager");
    }
}
