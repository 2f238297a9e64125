//! The world of one run: everything that its inhabitants share.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use crate::chance::Chance;
use crate::disk::{Disk, Flaw};
use crate::host::Host;
use crate::net::Net;
use crate::origin::Origin;
use crate::plan::Plan;
use crate::promises::Promises;
use crate::promises::politeness::{Conduct, Rules};
use crate::trace::{Shown, Trace};
use crate::web::Origins;

/// Bugs that are planted to see whether the invariants notice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Planted {
    pub disk: Flaw,
    /// The nodes leave sites alone for less than the invariants demand.
    pub impolite: bool,
    /// The closed feed is open.
    pub indiscreet: bool,
}

/// Everything that the inhabitants share.
pub struct World {
    pub plan: Plan,
    pub planted: Planted,
    pub trace: Trace,
    pub promises: Promises,
    pub net: Arc<Net>,
    pub origins: Origins,
    pub machines: Vec<Machine>,
    /// The machine on which all readers are.
    pub readers: Arc<Host>,
}

/// The machine of a node.
pub struct Machine {
    pub host: Arc<Host>,
    pub disk: Arc<Disk>,
    pub conduct: Arc<Conduct>,
    /// How far its clock is off, in seconds.
    pub clock: pergola_outside::locks::Mutex<f64>,
    /// When its disk began to refuse commits, if it does.
    pub refusing: pergola_outside::locks::Mutex<Option<f64>>,
    /// For how long it is down after its next death.
    pub down: pergola_outside::locks::Mutex<f64>,
}

impl World {
    /// Everything is there, and nothing lives yet. Must be called inside a runtime.
    pub fn new(plan: Plan, planted: Planted, shown: Shown) -> Arc<Self> {
        let trace = Trace::begin(shown);
        let promises = Promises::new(trace.clone());
        let seed = plan.seed;
        let net =
            Net::new(Chance::new(seed, "net", 0), plan.delay, promises.clone(), trace.clone());
        let origins = plan.sources.iter().cloned().enumerate();
        let origins = origins.map(|(number, plan)| Arc::new(Origin::new(number, plan)));
        let origins: BTreeMap<_, _> = origins.map(|origin| (origin.name.clone(), origin)).collect();
        for origin in origins.values() {
            net.add(&Host::new(
                1_000 + origin.number,
                origin.name.clone(),
                address(216, origin.number),
            ));
        }
        let rules = Rules { spacing: plan.spacing, floor: plan.floor, budget: plan.budget };
        let machines = (0..plan.nodes.len()).map(|number| {
            let host = Host::new(number, format!("n{number}.example"), address(215, number));
            net.add(&host);
            let chance = Chance::new(seed, "disk", number as u64);
            Machine {
                disk: Disk::new(&host, plan.engine, planted.disk, chance),
                conduct: Conduct::new(&host.name, rules, promises.clone()),
                host,
                clock: Default::default(),
                refusing: Default::default(),
                down: Default::default(),
            }
        });
        let machines: Vec<_> = machines.collect();
        let readers = Host::new(machines.len(), "readers.example".into(), address(217, 0));
        net.add(&readers);
        let origins = Arc::new(origins);
        Arc::new(Self { plan, planted, trace, promises, net, origins, machines, readers })
    }

    /// A source by its number.
    pub fn origin(&self, number: usize) -> &Origin {
        let found = self.origins.values().find(|origin| origin.number == number);
        found.unwrap_or_else(|| panic!("there is no source {number}"))
    }
}

fn address(network: u8, number: usize) -> IpAddr {
    let number = u8::try_from(number + 1).unwrap_or(u8::MAX);
    IpAddr::from([93, 184, network, number])
}
