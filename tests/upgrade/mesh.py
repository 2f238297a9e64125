"""Seven nodes: two roots that crawl the origin, three in the middle, two leaves, and what each of them asks of which.

Every node has an address of its own on the loopback, publishes `News` (everything), `Volcanoes` (what a query selects)
and, for each node that it reads, `Via…` (what came from that one): so it shows for each link what passed it.
"""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

# Who reads whom, and how: over gRPC, told at once (watch) or polled (hints), or documents over HTTP.
PARENTS = {
    "root1": [],
    "root2": [],
    "middle1": ["root1", "root2"],
    "middle2": ["root1", "root2"],
    "middle3": ["root1"],
    "leaf1": ["middle1", "middle2"],
    "leaf2": ["middle2", "middle3"],
}
READING = {
    "root1": "HTTP",
    "root2": "HTTP",
    "middle1": "gRPC, watching",
    "middle2": "gRPC, polling",
    "middle3": "HTTP",
    "leaf1": "gRPC, watching",
    "leaf2": "HTTP",
}
PEERS = {
    "gRPC, watching": 'cooperate = ["watch", "archive"]',
    "gRPC, polling": 'cooperate = ["hints", "archive"]',
    "HTTP": 'enabled = false\ncooperate = ["archive"]',
}
# Each kind of link is seen with an older parent and a newer child, and the other way round. leaf2, which gets items by
# two routes over HTTP, comes before the nodes that publish ids of a new kind: an older node takes them for other items.
ORDER = ["middle1", "leaf2", "root1", "middle2", "middle3", "root2", "leaf1"]
LEAVES = ["leaf1", "leaf2"]
PAGE = 1000


class Clock:
    """The clock of all nodes: an hour that a node leaves a silent site alone passes in seconds."""

    def __init__(self, speed):
        self.speed, self.epoch = speed, int(time.time())

    def now(self):
        return self.epoch + (time.time() - self.epoch) * self.speed


class Node:
    """A node's folder, and the process that runs in it."""

    def __init__(self, home, name, address):
        self.name, self.address, self.port = name, address, free_port(address)
        self.home = pathlib.Path(home).resolve() / name
        self.home.mkdir(parents=True)
        self.data = self.home / "data"
        self.url = f"http://{address}:{self.port}"
        self.process, self.version = None, "old"

    def configure(self, clock, sources, hosts):
        """Writes a configuration that both programs understand."""
        by_name = {"News": list(sources.values())}
        by_name |= {f"Via{name.capitalize()}": [url] for name, url in sources.items() if name in PARENTS}
        queries = [(name, urls, "") for name, urls in by_name.items()]
        queries.append(("Volcanoes", by_name["News"], ' WHERE ITEM CONTAINS "volcano"'))
        feeds = "".join(
            f"[[feed]]\nquery = '''CREATE FEED {name} AS RETURN {' | '.join(map(quoted, urls))}{where} WINDOW 500'''\n"
            for name, urls, where in queries
        )
        manners = "spacing = 0\nfloor = 0\nprivate = true\nper_domain = 8\n"
        known = "".join(f'[hosts."{host}"]\n{manners}' for host in hosts)
        self.feeds = [name for name, _, _ in queries]
        (self.home / "pergola.toml").write_text(
            f'[node]\nname = "{self.name}"\nlisten = "{self.address}:{self.port}"\ndata = "data"\n'
            f"[clock]\nspeed = {clock.speed}.0\nepoch = {clock.epoch}\n"
            f'[schedule]\ncycle = "{0.2 * clock.speed} s"\n'
            f"[budget]\nrefreshes_per_minute = {20 * 60 / clock.speed}\n"
            f"[peers]\n{PEERS[READING[self.name]]}\n{known}{feeds}"
        )

    def command(self, program, *arguments):
        return [program, "--config", self.home / "pergola.toml", *arguments]

    def start(self, program, version):
        log = open(self.home / "log", "ab")
        command = self.command(program, "run")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.home)
        self.version = version

    def ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended at its start: {self.log_end()}")
        try:
            return self.get("/readyz")[0] == 200
        except OSError:
            return False

    def stop(self):
        """Asks the node to end; returns its exit code, or nothing if it had to be killed."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def get(self, path, timeout=30):
        """Status and body; whoever does not answer is an OSError."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def json(self, path):
        status, body = self.get(path)
        if status != 200:
            raise RuntimeError(f"{self.name} answers {status} to {path}: {body[:300]}")
        return json.loads(body)

    def entries(self, feed, after=0):
        """(number, id, title) of everything that a feed holds after a number."""
        found = []
        while True:
            page = self.json(f"/api/v1/feeds/{feed}/items?after={after}&limit={PAGE}")
            found += [(item["sequence"], item["id"], item["title"]) for item in page["items"]]
            after = page["next"]
            if len(page["items"]) < PAGE:
                return found

    def log_end(self):
        return (self.home / "log").read_text(errors="replace")[-1500:]

    def copy_of_data(self, name):
        copy = self.home / name
        shutil.copytree(self.data, copy, ignore=lambda folder, names: [n for n in names if is_socket(folder, n)])
        return copy


def is_socket(folder, name):
    return (pathlib.Path(folder) / name).is_socket()


def quoted(url):
    return f'"{url}"'


def free_port(address):
    with socket.socket() as listening:
        listening.bind((address, 0))
        return listening.getsockname()[1]


def make(home, clock, origin, feeds):
    """All seven nodes, configured and not started."""
    nodes = {name: Node(home, name, f"127.0.0.{11 + place}") for place, name in enumerate(PARENTS)}
    hosts = [node.address for node in nodes.values()] + [origin.url.split("/")[2].split(":")[0]]
    for name, node in nodes.items():
        of_parents = {parent: f"{nodes[parent].url}/feeds/News" for parent in PARENTS[name]}
        node.configure(clock, of_parents or {feed: f"{origin.url}/{feed}" for feed in feeds}, hosts)
    return nodes


def links(nodes):
    """(parent, child) of all links between nodes."""
    return [(nodes[parent], child) for name, child in nodes.items() for parent in PARENTS[name]]
