//! The parameters of the rule, and why a mesh cannot be wired by them.

use crate::mesh::MeshError;

/// How a mesh is wired.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A feed joins the tree of a source whose distance is at most this: 0 (equal profiles) to 1 (all).
    pub radius: f64,
    /// The weight of distance against hops.
    pub alpha: f64,
    /// The most children of one vertex in one tree. The source counts as a vertex.
    pub fan_out: Option<u32>,
    /// The most hops from a source.
    pub depth: Option<u32>,
    /// A parent must let through all of the source's keywords that the child wants.
    pub keep_reach: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self { radius: 0.9, alpha: 20.0, fan_out: None, depth: None, keep_reach: false }
    }
}

/// Why a mesh could not be wired.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GrowError {
    #[error(transparent)]
    Mesh(#[from] MeshError),
    #[error("the radius is {0}, but it must be between 0 and 1")]
    Radius(f64),
    #[error("α is {0}, but it must be a number from 0 to 1000000")]
    Alpha(f64),
    #[error("{what} is 0, so no feed could be connected; leave it out for no limit")]
    Limit { what: &'static str },
    #[error(
        "{count} of the feeds have no source within the radius {radius}; the source nearest to feed \
         `{feed}` is `{source_name}` at {distance:.3}: raise --radius, or give them keywords of a source"
    )]
    OutOfReach { feed: String, count: usize, radius: f64, source_name: String, distance: f64 },
    #[error(
        "feed `{feed}` finds no parent in the tree of source `{source_name}`: {reason}; raise \
         --fan-out or --depth{}", keep_reach_hint(*.keep_reach)
    )]
    NoParent { feed: String, source_name: String, reason: NoParent, keep_reach: bool },
}

/// Why a feed found no parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoParent {
    #[error("every vertex in it has the most children allowed or is as deep as allowed")]
    Full,
    #[error("the vertices with room would keep back keywords that it wants")]
    Starving,
}

fn keep_reach_hint(keep_reach: bool) -> &'static str {
    if keep_reach { ", or leave out --keep-reach" } else { "" }
}

impl Rules {
    pub(super) fn check(&self) -> Result<(), GrowError> {
        if !(0.0..=1.0).contains(&self.radius) {
            return Err(GrowError::Radius(self.radius));
        }
        if !(0.0..=1e6).contains(&self.alpha) {
            return Err(GrowError::Alpha(self.alpha));
        }
        if self.fan_out == Some(0) {
            return Err(GrowError::Limit { what: "--fan-out" });
        }
        if self.depth == Some(0) {
            return Err(GrowError::Limit { what: "--depth" });
        }
        Ok(())
    }
}
