//! The names of what is counted of the connections to the node's port.

use pergola_port::counts::PortMetrics;

use super::register::Register;

pub(super) fn register(port: &PortMetrics, to: &mut Register) {
    to.register("connections", "Connections open", port.open.clone());
    let shed = "Clients turned away because there were too many connections, by whose they were";
    to.register("connections_shed", shed, port.shed.clone());
    let cut = "Clients that were too slow, by what they were too slow with";
    to.register("connections_cut", cut, port.cut.clone());
    let failed = "Secured connections that did not come about";
    to.register("handshakes_failed", failed, port.failed_handshakes.clone());
}
