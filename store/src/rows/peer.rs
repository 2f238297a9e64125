//! Sources that other nodes publish, and items that come back from them.

use std::borrow::Cow;

use pergola_feed::NodeId;
use pergola_manners::Cooperation;
use pergola_manners::link::{Link, PeerNode, PeerQuality, Setback};
use pergola_manners::source::Loop;

use super::{List, row};

row!(Link as LinkRow<'a> {
    url: Cow<'a, str>,
    feed: Cow<'a, str>,
    node: Option<PeerNodeRow<'a>>,
    cursor: Cow<'a, str>,
    moved_at: Option<f64>,
    sequence: Option<u64>,
    window: u32,
    from_oldest: bool,
    begun_again_at: Option<f64>,
    setback: Option<SetbackRow<'a>>,
    quality: Option<PeerQualityRow>,
});

row!(PeerNode as PeerNodeRow<'a> { id: Cow<'a, str>, name: Cow<'a, str> });

row!(PeerQuality as PeerQualityRow { completeness: f64, freshness: f64 });

row!(Setback as SetbackRow<'a> { until: f64, count: u32, why: Cow<'a, str> });

row!(Cooperation as CooperationRow { hints: bool, watch: bool, archive: bool });

row!(Loop as LoopRow<'a> { since: f64, seen: f64, nodes: List<'a, NodeId> });
