//! The life of a node on its machine: it is opened, runs, dies, and is opened again on what its disk still has.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pergola_config::Config;
use pergola_node::node::{Node, Running};
use pergola_outside::clock::Clock;
use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::{
    Blocking, Executor, Fill, Job, Outside, Pending, Randomness, Surroundings,
};
use pergola_store::Opened;
use pergola_store::archive::Archive;
use tokio::task::AbortHandle;

use crate::chance::Chance;
use crate::disk::Disk;
use crate::host::Life;
use crate::net::Way;
use crate::promises::rows;
use crate::web::{DAWN, Web};
use crate::world::{Machine, World};

/// Whoever keeps the node running looks after it so often.
const LOOKED_AFTER: Duration = Duration::from_secs(60);
/// It restarts a node whose store has refused commits for so many looks although the disk has room.
const PATIENCE: u32 = 10;
/// And waits so long before it tries again when a node does not start.
const AGAIN: Duration = Duration::from_secs(30);
/// Items in a document: more than there ever are.
const WINDOW: usize = 2_000;

/// The configuration of a node, as its operator would write it.
pub fn config(world: &World, number: usize, folder: &Path) -> anyhow::Result<Config> {
    let (plan, node) = (&world.plan, &world.plan.nodes[number]);
    let spacing = if world.planted.impolite { plan.spacing / 2.0 } else { plan.spacing };
    let data = folder.join(format!("n{number}"));
    let mut text = format!(
        "[node]\nname = \"n{number}\"\npublic_url = \"http://n{number}.example/\"\ndata = {data:?}\n\
         [schedule]\ncycle = \"{} s\"\n[budget]\nrefreshes_per_minute = {:.2}\n\
         [crawl]\nspacing = \"{} ms\"\n[feeds]\nwindow = {WINDOW}\n\
         [peers]\ncooperate = [{}]\n\
         [[reader]]\nname = \"alice\"\ntoken = \"{}\"\n",
        node.cycle,
        plan.budget,
        (spacing * 1_000.0).ceil(),
        node.cooperate,
        token(number),
    );
    for origin in world.origins.values() {
        let (host, floor) = (&origin.name, plan.floor);
        write!(text, "[hosts.\"{host}\"]\nfloor = \"{floor:.0} s\"\n")?;
        // A host of its own would also have a lane of its own.
        writeln!(text, "group = \"site{}\"", origin.plan.site)?;
    }
    for other in &node.upstream {
        write!(text, "[hosts.\"n{other}.example\"]\npeer = true\n")?;
    }
    let quoted = |number: &usize| format!("\"{}\"", world.origin(*number).url());
    let own: Vec<_> = node.sources.iter().map(quoted).collect();
    let mut mesh: Vec<_> =
        node.upstream.iter().map(|n| format!("\"http://n{n}.example/feeds/Mesh\"")).collect();
    if !own.is_empty() {
        write!(text, "[[feed]]\nquery = 'CREATE FEED Own AS RETURN {}'\n", own.join(" | "))?;
        mesh.push("FEED Own".to_owned());
    }
    write!(text, "[[feed]]\nquery = 'CREATE FEED Mesh AS RETURN {}'\n", mesh.join(" | "))?;
    write!(text, "[[feed]]\nquery = 'CREATE FEED Closed AS RETURN {}'\n", quoted(&node.secret))?;
    if !world.planted.indiscreet {
        text.push_str("readers = [\"alice\"]\n");
    }
    let file = folder.join(format!("n{number}.toml"));
    std::fs::write(&file, text)?;
    Ok(Config::load(Some(&file), [])?)
}

/// The token of the reader that may read the closed feed of a node.
pub fn token(number: usize) -> String {
    format!("the token of alice at node {number}").replace(' ', "-")
}

/// Keeps a node running until the run is over.
pub async fn inhabit(world: Arc<World>, number: usize, config: Config) {
    let machine = &world.machines[number];
    let name = &machine.host.name;
    for count in 0.. {
        let life = machine.host.begin();
        world.trace.tell(format_args!("{name} begins life {count}"));
        let tasks = Arc::new(Mutex::new(Vec::new()));
        let how = lead(&world, machine, &life, &tasks, &config, count).await;
        life.end();
        for task in tasks.lock().drain(..) {
            AbortHandle::abort(&task);
        }
        // What was aborted is dropped when it is its turn.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let refusing = machine.refusing.lock().take();
        machine.conduct.died(world.trace.now(), refusing);
        let (wait, death) = match how {
            End::Died => (*machine.down.lock(), machine.host.death()),
            End::Stopped => (AGAIN.as_secs_f64(), crate::host::Death::Killed),
        };
        world.trace.tell(format_args!("{name} ends life {count}: {how:?}, {death:?}"));
        machine.disk.settle(death);
        tokio::time::sleep(Duration::from_secs_f64(wait)).await;
    }
}

/// How a life ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Died,
    /// The node did not start, or was stopped.
    Stopped,
}

async fn lead(
    world: &Arc<World>,
    machine: &Machine,
    life: &Life,
    tasks: &Tasks,
    config: &Config,
    count: u64,
) -> End {
    let living = async {
        let Some(running) = start(world, machine, life, tasks, config, count).await else {
            return;
        };
        look_after(world, machine, running).await;
    };
    tokio::select! {
        biased;
        () = machine.host.death_of(life) => End::Died,
        () = living => End::Stopped,
    }
}

/// Opens the node; nothing if that was not possible.
async fn start(
    world: &Arc<World>,
    machine: &Machine,
    life: &Life,
    tasks: &Tasks,
    config: &Config,
    count: u64,
) -> Option<Running> {
    let name = &machine.host.name;
    let excused = || machine.disk.is_full() || !life.goes_on();
    let store = match machine.disk.open(life) {
        Ok(store) => store,
        Err(error) if excused() => {
            world.trace.tell(format_args!("{name} cannot open its store: {error}"));
            return None;
        }
        Err(error) => {
            world.promises.broken(format!("{name} cannot open its store: {error}"));
            return None;
        }
    };
    rows::check(name, &Archive::new(Arc::clone(&store)), &world.promises);
    let clock = Clock::set_to(DAWN + world.trace.now() + *machine.clock.lock());
    let way = Way { net: Arc::clone(&world.net), life: life.clone() };
    let web = Web {
        way: way.clone(),
        origins: Arc::clone(&world.origins),
        conduct: Arc::clone(&machine.conduct),
        trace: world.trace.clone(),
        clock: clock.clone(),
    };
    let whose = machine.host.number as u64 * 1_000 + count;
    let chance = Chance::new(world.plan.seed, "randomness", whose);
    let hands =
        Hands { life: life.clone(), disk: Arc::clone(&machine.disk), tasks: Arc::clone(tasks) };
    let surroundings = Surroundings {
        clock,
        randomness: Randomness::of(Drawn(Mutex::new(chance))),
        outside: Outside {
            names: Arc::new(way.clone()),
            http: Arc::new(web),
            network: Arc::new(way),
        },
        blocking: Blocking::on(hands),
        store: Opened { store, notice: None },
    };
    let opened = Node::open(config.clone(), surroundings).await;
    let started = opened.and_then(|node| node.start(world.net.listen(life)));
    match started {
        Ok(running) => Some(running),
        Err(error) if excused() => {
            world.trace.tell(format_args!("{name} does not start: {error}"));
            None
        }
        Err(error) => {
            world.promises.broken(format!("{name} does not start: {error}"));
            None
        }
    }
}

/// Looks after a node, as its operator does: a store that stays in trouble needs a restart.
async fn look_after(world: &World, machine: &Machine, mut running: Running) {
    let mut troubled = 0;
    let mut well = 0;
    loop {
        tokio::select! {
            biased;
            why = running.failed() => {
                let name = &machine.host.name;
                world.promises.broken(format!("{name}: {why}"));
                return;
            }
            () = tokio::time::sleep(LOOKED_AFTER) => {}
        }
        match running.node.store_trouble() {
            Some(_) => {
                machine.refusing.lock().get_or_insert(world.trace.now() - 2.0 * 60.0);
                well = 0;
                troubled = if machine.disk.is_full() { 0 } else { troubled + 1 };
                if troubled > PATIENCE {
                    return running.stop(Duration::from_secs(10)).await;
                }
            }
            None => {
                (troubled, well) = (0, well + 1);
                if well > 5
                    && !machine.disk.is_full()
                    && let Some(since) = machine.refusing.lock().take()
                {
                    machine.conduct.refused_since(since);
                }
            }
        }
    }
}

type Tasks = Arc<Mutex<Vec<AbortHandle>>>;

/// Does the blocking work of one life, at once or as slowly as the disk is.
struct Hands {
    life: Life,
    disk: Arc<Disk>,
    tasks: Tasks,
}

impl Executor for Hands {
    fn start(&self, job: Job) {
        let slow = self.disk.slowness();
        if slow.is_zero() {
            if self.life.goes_on() {
                job();
            }
            return;
        }
        let life = self.life.clone();
        tokio::spawn(async move {
            tokio::time::sleep(slow).await;
            if life.goes_on() {
                job();
            }
        });
    }

    fn thread(&self, _: &str, work: Pending<'static, ()>) -> std::io::Result<()> {
        let slowed = Slowed { work, disk: Arc::clone(&self.disk), waiting: None };
        self.tasks.lock().push(tokio::spawn(slowed).abort_handle());
        Ok(())
    }

    fn rest(&self, time: Duration) -> Pending<'static, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

/// Work that goes on only as fast as the disk.
struct Slowed {
    work: Pending<'static, ()>,
    disk: Arc<Disk>,
    waiting: Option<std::pin::Pin<Box<tokio::time::Sleep>>>,
}

impl Future for Slowed {
    type Output = ();

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<()> {
        let slow = self.disk.slowness();
        if self.waiting.is_none() && !slow.is_zero() {
            self.waiting = Some(Box::pin(tokio::time::sleep(slow)));
        }
        if let Some(waiting) = &mut self.waiting {
            std::task::ready!(waiting.as_mut().poll(context));
            self.waiting = None;
        }
        self.work.as_mut().poll(context)
    }
}

struct Drawn(Mutex<Chance>);

impl Fill for Drawn {
    fn fill(&self, bytes: &mut [u8]) -> bool {
        self.0.lock().fill(bytes);
        true
    }
}
