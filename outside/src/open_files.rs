//! How many files and connections this process may have open.
//!
//! Systems start a process with a low limit (often 1,024) for programs from the time of `select`, and let it raise
//! the limit itself up to a second, hard one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The limits on open files; nothing where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFiles {
    /// How many may be open now.
    pub soft: Option<u64>,
    /// How far a process may raise that itself.
    pub hard: Option<u64>,
}

/// What the system allows.
pub fn allowed() -> OpenFiles {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    OpenFiles { soft: current, hard: maximum }
}

/// Raises the limit as far as the system allows; what it is then.
pub fn raise() -> OpenFiles {
    let now = allowed();
    if now.soft == now.hard {
        return now;
    }
    let most = Rlimit { current: now.hard, maximum: now.hard };
    if let Err(error) = setrlimit(Resource::Nofile, most) {
        // Some systems have a lower limit that they do not tell.
        tracing::warn!(%error, "the limit on open files cannot be raised");
    }
    allowed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_as_far_as_it_may_be() {
        let before = allowed();
        let raised = raise();
        assert_eq!(raised.hard, before.hard);
        assert_eq!(raised.soft, raised.hard);
        assert_eq!(allowed(), raised);
    }
}
