//! The experiments by name. Each takes the lab (its seeds) and settings of its own, and returns a report. None knows
//! of terminals or files.

pub(crate) mod cascade;
pub(crate) mod cascade_budget;
pub(crate) mod cascade_burst;
pub(crate) mod cascade_collective;
pub(crate) mod cascade_depth;
pub(crate) mod cascade_outage;
pub(crate) mod cascade_phase;
pub(crate) mod cascade_scale;
pub(crate) mod cascade_tree;
pub(crate) mod cascades;
pub(crate) mod channels;
pub(crate) mod characterise;
pub(crate) mod compare;
pub(crate) mod convergence;
pub(crate) mod demo;
pub(crate) mod dynamo;
pub(crate) mod estimators;
pub(crate) mod online;
pub(crate) mod published;
pub(crate) mod replay;
pub(crate) mod robustness;

/// The name of each experiment and what it shows: those of the papers first, then our own.
pub(crate) const LIST: &[(&str, &str)] = &[
    ("table-4.1", "completeness, freshness and cost of six strategies at b = 10, 30, 50"),
    ("figure-4.2-4.3", "completeness and freshness against cost, b from 2 to 100"),
    ("figure-4.4", "τ finds its value from any start, and again after all rates double"),
    ("figure-7.2", "one day of one source: real divergence, constant rate, online estimate"),
    ("figure-7.6-7.7", "the periodic model follows a source that changes its shape, or does not"),
    ("figure-7.8", "divergence error by daily shape and refresh interval"),
    ("figure-7.9-7.10", "2Steps with offline, single and periodic models, by daily shape"),
    ("estimators", "every model on what a refresh really sees, full windows included"),
    ("compare", "every strategy at equal cost, and the limit of any schedule"),
    ("cascade", "any mesh of nodes that read each other, from a graph or by name"),
    (
        "cascade-depth",
        "chains of one to eight nodes: what each hop costs, and what cooperation saves",
    ),
    ("cascade-tree", "the published topologies at α = 4, 20, 100"),
    ("cascade-budget", "what the budget of a mesh buys, and where it should be spent"),
    ("cascade-phase", "what is gained by refreshing just after the upstream"),
    ("cascade-burst", "a burst at one source, and how it spreads"),
    ("cascade-outage", "a node is down: what its readers lose, and how they recover"),
    ("cascade-collective", "a shared budget compared to every node for itself"),
    ("live", "real nodes of a bundle beside the prediction of the lab"),
    ("cascade-scale", "a large mesh for a week, and events per second"),
    ("channels-convergence", "monitoring rates learnt on-line against those of the whole stream"),
    ("channels-beta", "what the novelty filter costs and saves, by its threshold β"),
    ("channels-window", "what the novelty filter costs, by the size of a profile's window"),
    ("channels-policies", "quality of profiles against the budget for the four policies"),
    ("channels-similarity", "monitoring rates refined by those of similar channels"),
    ("dynamo-mse", "Dynamo's smoothed interval: error against its weight, and the search for it"),
    ("replay", "every strategy and model over a recorded trace at equal cost"),
    ("characterise", "activity classes, regularity and daily shapes of a recorded trace"),
    ("synthesise", "write a synthetic trace in the format that replay reads"),
    ("demo", "in seconds: what a scheduler gains over the fixed intervals of feed readers"),
];
