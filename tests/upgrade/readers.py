"""Readers of a leaf that never stop asking, and complain of whatever a reader may not see.

They go on over restarts: a refused connection is no complaint, everything else is.
"""

import http.client
import importlib
import json
import pathlib
import sys
import tempfile
import threading
import urllib.error
import urllib.request
import xml.etree.ElementTree as xml

ATOM = "{http://www.w3.org/2005/Atom}"
GONE = (ConnectionError, TimeoutError, http.client.HTTPException, urllib.error.URLError)


class Reader(threading.Thread):
    """Asks again and again until it is told to end. `seen` maps titles to ids."""

    def __init__(self, leaf, kind):
        super().__init__(daemon=True)
        self.leaf, self.kind = leaf, kind
        self.seen, self.by_id, self.complaints = {}, {}, []
        self.answers = self.refused = 0
        self.ending = threading.Event()
        self.start()

    def run(self):
        while not self.ending.is_set():
            try:
                self.ask()
                self.answers += 1
            except GONE:
                self.refused += 1
                self.ending.wait(0.1)
            except Exception as error:  # whatever it is, it belongs into the report
                self.complain(repr(error))
                self.ending.wait(0.5)

    def complain(self, what):
        if len(self.complaints) < 100:
            self.complaints.append(f"{self.kind} at {self.leaf.name}: {what}")

    def show(self, item, title):
        """An item is shown to whoever reads: once, under one id."""
        if self.seen.setdefault(title, item) != item:
            self.complain(f"{title!r} is shown as {self.seen[title]} and again as {item}")
        if self.by_id.setdefault(item, title) != title:
            self.complain(f"the id {item} is used for {self.by_id[item]!r} and for {title!r}")

    def end(self):
        self.ending.set()
        self.join(60)


class Documents(Reader):
    """Polls a document of the feed with conditional requests, as feed readers do."""

    def __init__(self, leaf, form):
        self.form, self.tag = form, None
        super().__init__(leaf, f"documents ({form})")

    def ask(self):
        headers = {"If-None-Match": self.tag} if self.tag else {}
        request = urllib.request.Request(f"{self.leaf.url}/feeds/News.{self.form}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                self.tag = answer.headers["ETag"]
                body = answer.read()
        except urllib.error.HTTPError as error:
            if error.code != 304:
                self.complain(f"it answers {error.code}")
            self.ending.wait(0.2)
            return
        titles = set()
        for item, title in getattr(self, f"of_{self.form}")(body):
            if title in titles:
                self.complain(f"{title!r} is twice in one document")
            titles.add(title)
            self.show(item, title)
        self.ending.wait(0.2)

    def of_atom(self, body):
        for entry in xml.fromstring(body).iter(f"{ATOM}entry"):
            yield entry.findtext(f"{ATOM}id"), entry.findtext(f"{ATOM}title")

    def of_rss(self, body):
        for item in xml.fromstring(body).iter("item"):
            yield item.findtext("guid"), item.findtext("title")

    def of_json(self, body):
        for item in json.loads(body)["items"]:
            yield item["id"], item["title"]


class Numbers(Reader):
    """Follows the feed by its numbers; each answer is held until there is something."""

    def __init__(self, leaf):
        self.last = 0
        super().__init__(leaf, "numbers")

    def ask(self):
        status, body = self.leaf.get(f"/api/v1/feeds/News/items?after={self.last}&wait=5&limit=1000")
        if status != 200:
            return self.complain(f"it answers {status}: {body[:200]}")
        for item in json.loads(body)["items"]:
            if item["sequence"] != self.last + 1:
                self.complain(f"{item['sequence']} follows {self.last}")
            if item["title"] in self.seen:
                self.complain(f"{item['title']!r} comes twice")
            self.last = item["sequence"]
            self.show(item["id"], item["title"])


class Grpc(Reader):
    """Watches the feed over gRPC and fetches after its cursor."""

    def __init__(self, leaf, stubs):
        self.messages, self.services, self.grpc = stubs
        self.cursor, self.next, self.stream = "", None, None
        super().__init__(leaf, "gRPC")

    def ask(self):
        address = f"{self.leaf.address}:{self.leaf.port}"
        try:
            with self.grpc.insecure_channel(address) as channel:
                node = self.services.SyndicationStub(channel)
                self.fetch(node)
                self.stream = node.Watch(self.messages.WatchRequest(feed="News", cursor=self.cursor))
                for _ in self.stream:
                    self.fetch(node)
                    self.answers += 1
        except self.grpc.RpcError as error:
            if error.code() not in (self.grpc.StatusCode.UNAVAILABLE, self.grpc.StatusCode.CANCELLED):
                self.complain(f"{error.code()}: {error.details()}")
            raise ConnectionError from error

    def fetch(self, node):
        more = True
        while more:
            newest = 0 if self.cursor else 1000
            request = self.messages.FetchRequest(feed="News", cursor=self.cursor, newest=newest)
            page = node.Fetch(request, timeout=30)
            if page.restarted or page.expired or page.skipped:
                self.complain(f"restarted {page.restarted}, expired {page.expired}, skipped {page.skipped}")
            for entry in page.entries:
                self.take(entry)
            self.cursor, more = page.cursor, page.more

    def take(self, entry):
        title = entry.item.title
        if entry.edited:
            return
        if self.next is not None and entry.sequence != self.next:
            self.complain(f"{entry.sequence} comes where {self.next} should")
        if title in self.seen:
            self.complain(f"{title!r} comes twice")
        self.next = entry.sequence + 1
        # Two items may have the same id over gRPC if their origins differ.
        self.show(f"{entry.item.origin.feed} {entry.item.id}", title)

    def end(self):
        self.ending.set()
        if self.stream:
            self.stream.cancel()
        self.join(60)


def stubs(protos):
    """What grpc_tools makes of the contract, or nothing if it is not installed."""
    try:
        import grpc
        import grpc_tools
        from grpc_tools import protoc
    except ImportError:
        return None
    folder = tempfile.mkdtemp()
    well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    options = ["protoc", f"-I{protos}", f"-I{well_known}", f"--python_out={folder}", f"--grpc_python_out={folder}"]
    if protoc.main([*options, "pergola/v1/syndication.proto"]) != 0:
        sys.exit("the stubs could not be generated")
    sys.path.insert(0, folder)
    names = ("pergola.v1.syndication_pb2", "pergola.v1.syndication_pb2_grpc")
    return *(importlib.import_module(name) for name in names), grpc
