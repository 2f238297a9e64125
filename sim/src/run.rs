//! One run: a plan becomes a world, everything in it lives, and the promises are watched.

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, Once};
use std::time::Duration;

use pergola_outside::locks::Mutex;
use pergola_store::archive::Archive;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::chance::Chance;
use crate::dwelling;
use crate::host::{Death, Life};
use crate::plan::{Fault, Moment, Plan, Trouble};
use crate::promises::reading::{Following, Mark, Polling};
use crate::promises::rows;
use crate::reader::{Reader, Shared};
use crate::trace::Shown;
use crate::world::{Planted, World};

/// How often it is checked whether everything has arrived.
const CHECKED: Duration = Duration::from_secs(1_800);

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub seed: u64,
    /// The digest of everything that happened.
    pub digest: u64,
    /// How many things that were.
    pub lines: u64,
    /// The promises that were broken.
    pub broken: Vec<String>,
    /// Virtual seconds.
    pub time: f64,
    /// Requests of all nodes to sources.
    pub requests: u64,
    /// Items that readers were told.
    pub told: usize,
}

thread_local! {
    /// What panicked on this thread during a run.
    static PANICS: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// From now on a panic on this thread is noted.
fn note_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let noted = PANICS.with_borrow_mut(|panics| {
                let noted = panics.as_mut().map(|panics| panics.push(info.to_string()));
                noted.is_some()
            });
            if !noted {
                usual(info);
            }
        }));
    });
    PANICS.set(Some(Vec::new()));
}

/// Runs a plan to its end, or until a promise is broken.
pub fn run(plan: &Plan, planted: Planted, shown: Shown) -> anyhow::Result<Outcome> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    note_panics();
    let outcome = runtime.block_on(live(plan.clone(), planted, shown));
    drop(runtime);
    let panics = PANICS.take().unwrap_or_default();
    let mut outcome = outcome?;
    outcome.broken.extend(panics.into_iter().map(|panic| format!("a panic: {panic}")));
    Ok(outcome)
}

async fn live(plan: Plan, planted: Planted, shown: Shown) -> anyhow::Result<Outcome> {
    let world = World::new(plan, planted, shown);
    let folder = tempfile::tempdir()?;
    let mut inhabitants = JoinSet::new();
    for number in 0..world.machines.len() {
        let config = dwelling::config(&world, number, folder.path())?;
        inhabitants.spawn(dwelling::inhabit(Arc::clone(&world), number, config));
    }
    let followers = read(&world, &mut inhabitants);
    inhabitants.spawn(go_wrong(Arc::clone(&world)));
    watch(&world, &followers).await;
    inhabitants.shutdown().await;
    conclude(&world);
    let (digest, lines) = world.trace.digest();
    Ok(Outcome {
        seed: world.plan.seed,
        digest,
        lines,
        broken: world.promises.all_broken(),
        time: world.trace.now(),
        requests: world.machines.iter().map(|machine| machine.conduct.requests()).sum(),
        told: followers.iter().map(|(.., following)| following.lock().count()).sum(),
    })
}

/// Readers of one feed of one node, and what they have read.
type Follower = (usize, &'static str, Shared);

/// Sends out the readers.
fn read(world: &Arc<World>, inhabitants: &mut JoinSet<()>) -> Vec<Follower> {
    let life = world.readers.begin();
    let mut followers = Vec::new();
    for (node, plan) in world.plan.nodes.iter().enumerate() {
        let reader = |feed: &'static str, token: Option<String>, purpose: &str| {
            let chance = Chance::new(world.plan.seed, purpose, node as u64);
            let (world, life) = (Arc::clone(world), Life::clone(&life));
            Reader { world, life, node, feed, token, chance }
        };
        let secrets: Vec<bool> = world.plan.sources.iter().map(|source| source.secret).collect();
        let open = move |source: usize| secrets.get(source) == Some(&false);
        let own = plan.secret;
        let mut follow = |feed: &'static str, token, may_see: Box<dyn Fn(usize) -> bool + Send>| {
            let who = format!("a reader of n{node} {feed}");
            let following = Following::new(who, world.promises.clone(), may_see);
            let following: Shared = Arc::new(Mutex::new(following));
            inhabitants.spawn(reader(feed, token, feed).follow(Arc::clone(&following)));
            followers.push((node, feed, following));
        };
        if !plan.sources.is_empty() {
            follow("Own", None, Box::new(open.clone()));
        }
        follow("Mesh", None, Box::new(open.clone()));
        follow("Closed", Some(dwelling::token(node)), Box::new(move |source| source == own));
        let who = format!("a reader of n{node} Mesh over HTTP");
        let polling = Polling::new(who, world.promises.clone(), open);
        inhabitants.spawn(reader("Mesh", None, "polling").poll(polling));
        inhabitants.spawn(reader("Closed", None, "prying").pry());
    }
    followers
}

/// Waits until everything has arrived everywhere, a promise is broken, or it is too late.
async fn watch(world: &World, followers: &[Follower]) {
    loop {
        sleep(CHECKED).await;
        let now = world.trace.now();
        let panicked = PANICS.with_borrow(|panics| panics.as_ref().is_some_and(|p| !p.is_empty()));
        if world.promises.any_broken() || panicked {
            return;
        }
        if now < world.plan.calm {
            continue;
        }
        let missing = missing(world, followers, now);
        if missing.is_empty() {
            return;
        }
        if now >= world.plan.latest {
            for missing in missing.iter().take(10) {
                world.promises.broken(missing.clone());
            }
            return;
        }
    }
}

/// What has not arrived although its source still shows it.
fn missing(world: &World, followers: &[Follower], now: f64) -> Vec<String> {
    let mut missing = Vec::new();
    for (node, feed, following) in followers {
        let following = following.lock();
        for mark in due(world, *node, feed, now) {
            if !following.has(mark) {
                missing.push(format!("n{node} {feed} never told {mark:?}"));
            }
        }
    }
    missing
}

/// The items that a feed should have.
fn due(world: &World, node: usize, feed: &str, now: f64) -> Vec<Mark> {
    let nodes = &world.plan.nodes;
    let sources: BTreeSet<usize> = match feed {
        "Closed" => BTreeSet::from([nodes[node].secret]),
        "Own" => nodes[node].sources.iter().copied().collect(),
        _ => {
            let mut reached = BTreeSet::from([node]);
            let mut frontier = vec![node];
            while let Some(node) = frontier.pop() {
                let upstream = nodes[node].upstream.iter();
                frontier.extend(upstream.copied().filter(|other| reached.insert(*other)));
            }
            reached.iter().flat_map(|node| nodes[*node].sources.iter().copied()).collect()
        }
    };
    let shown = |source: usize| world.origin(source).window(now).map(move |item| (source, item));
    sources.into_iter().flat_map(shown).collect()
}

/// After the last power cut: what is stored, and what was spent.
fn conclude(world: &World) {
    for machine in &world.machines {
        let name = &machine.host.name;
        machine.conduct.ends(world.trace.now());
        if world.promises.any_broken() {
            continue;
        }
        machine.disk.set_full(false);
        machine.disk.settle(Death::PowerCut);
        match machine.disk.open(&machine.host.begin()) {
            Ok(store) => rows::check(name, &Archive::new(store), &world.promises),
            Err(error) => {
                world.promises.broken(format!("{name} cannot open its store at the end: {error}"));
            }
        }
    }
}

/// Lets everything go wrong that is planned.
async fn go_wrong(world: Arc<World>) {
    let mut ending = JoinSet::new();
    for Fault { at, what } in &world.plan.faults {
        let wait = (at - world.trace.now()).max(0.0);
        sleep(Duration::from_secs_f64(wait)).await;
        world.trace.tell(format_args!("{what:?}"));
        if let Some(time) = begin(&world, what) {
            let (world, what) = (Arc::clone(&world), what.clone());
            ending.spawn(async move {
                sleep(Duration::from_secs_f64(time)).await;
                end(&world, &what);
                world.trace.tell(format_args!("no more {what:?}"));
            });
        }
    }
    while ending.join_next().await.is_some() {}
    std::future::pending().await
}

/// Begins a trouble; says how long it lasts if it has to be ended.
fn begin(world: &World, what: &Trouble) -> Option<f64> {
    match *what {
        Trouble::Death { node, moment, death, down, clock } => {
            let machine = &world.machines[node];
            match moment {
                Moment::After(things) => machine.host.dies_after(things, death),
                Moment::InCommit(others) => machine.host.dies_in_commit(others, death),
            }
            *machine.down.lock() = down;
            *machine.clock.lock() += clock;
            None
        }
        Trouble::Cut { from, to, time } => {
            world.net.cut(from, to);
            Some(time)
        }
        Trouble::Reset { one, other } => {
            world.net.reset(one, other);
            None
        }
        Trouble::SlowDisk { node, delay, time } => {
            world.machines[node].disk.set_slow(Duration::from_secs_f64(delay));
            Some(time)
        }
        Trouble::FullDisk { node, time } => {
            world.machines[node].disk.set_full(true);
            world.machines[node].refusing.lock().get_or_insert(world.trace.now());
            Some(time)
        }
        Trouble::Source { source, how, time } => {
            world.origin(source).begin(how);
            Some(time)
        }
        Trouble::Lie { source, time } => {
            world.net.lie(&world.origin(source).name, true);
            Some(time)
        }
    }
}

fn end(world: &World, what: &Trouble) {
    match *what {
        Trouble::Death { .. } | Trouble::Reset { .. } => {}
        Trouble::Cut { from, to, .. } => world.net.mend(from, to),
        Trouble::SlowDisk { node, .. } => world.machines[node].disk.set_slow(Duration::ZERO),
        Trouble::FullDisk { node, .. } => world.machines[node].disk.set_full(false),
        Trouble::Source { source, how, .. } => world.origin(source).end(how),
        Trouble::Lie { source, .. } => world.net.lie(&world.origin(source).name, false),
    }
}
