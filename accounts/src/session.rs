//! A session: from a login until the logout, a long time without use, or its longest age.

use crate::user::UserId;

const DAY: f64 = 86_400.0;
/// Seconds after which a session is over that nobody uses.
pub const IDLE: f64 = 30.0 * DAY;
/// Seconds after which every session is over.
pub const LONGEST: f64 = 180.0 * DAY;
/// Seconds after which it is noted again that a session is used.
pub const NOTED_EVERY: f64 = 3600.0;
/// Characters that are kept of what a program says of itself.
const AGENT: usize = 200;

/// A session. It is found by the digest of its token.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    pub user: UserId,
    pub created_at: f64,
    /// When it was last used, to the hour.
    pub seen_at: f64,
    /// The program that it is used by, as that calls itself.
    pub agent: String,
}

impl Session {
    /// A session that begins.
    pub fn new(user: UserId, agent: &str, now: f64) -> Self {
        let agent = agent.chars().filter(|c| !c.is_control()).take(AGENT).collect();
        Self { user, created_at: now, seen_at: now, agent }
    }

    /// Whether it is over.
    pub fn is_over(&self, now: f64) -> bool {
        now >= self.ends_at()
    }

    /// When it is over, if nobody uses it.
    pub fn ends_at(&self) -> f64 {
        (self.seen_at + IDLE).min(self.created_at + LONGEST)
    }

    /// The session as it is to be noted now that it is used; nothing if that was noted lately.
    pub fn seen(&self, now: f64) -> Option<Self> {
        (now - self.seen_at >= NOTED_EVERY).then(|| Self { seen_at: now, ..self.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends_when_it_is_idle_or_old() {
        let session = Session::new(UserId(3), "Browser\n/1", 1000.0);
        assert_eq!(session.agent, "Browser/1");
        assert!(!session.is_over(1000.0 + IDLE - 1.0) && session.is_over(1000.0 + IDLE));
        assert_eq!(session.seen(1000.0 + NOTED_EVERY - 1.0), None);
        let mut used = session.clone();
        let mut now = 1000.0;
        while !used.is_over(now) {
            used = used.seen(now).unwrap_or(used);
            now += 20.0 * DAY;
        }
        assert_eq!(now, 1000.0 + LONGEST, "it was used all the time");
    }

    #[test]
    fn a_clock_that_goes_back_ends_nothing() {
        let session = Session::new(UserId(3), "", 1000.0);
        assert!(!session.is_over(0.0));
        assert_eq!(session.seen(0.0), None);
    }
}
