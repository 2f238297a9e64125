"""A site that publishes items steadily in four feeds, of every format and with ids of every kind."""

import email.utils
import itertools
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

# Feeds with ids that mean the same everywhere (wire, journal), and with ids that are names within their feed (desk,
# ticker). No two feeds use the same id: what older nodes published under one id gets new ones (CHANGELOG.md).
FEEDS = {"wire": "rss", "desk": "rss", "journal": "atom", "ticker": "json"}
TYPES = {"rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/feed+json"}
# Every second item is about a volcano, so that queries have something to select.
SUBJECTS = ("volcano", "harbour")


class Item:
    """What was published: the title is unique over all feeds."""

    def __init__(self, site, feed, number, at):
        self.title = f"{SUBJECTS[number % 2]} {feed} {number}"
        self.link = f"{site}/{feed}/{number}"
        self.at = at
        self.id = {
            "wire": self.link,
            "desk": f"{feed}-{number}",
            "journal": f"tag:example.org,2026:{feed}-{number}",
            "ticker": f"{feed}-{number}",
        }[feed]


class Origin:
    """The site; `published` is the truth that everything is compared with."""

    def __init__(self, address, clock, items_per_second):
        self.clock, self.pause = clock, 1 / items_per_second
        self.items = {feed: [] for feed in FEEDS}
        self.lock = threading.Lock()
        self.stopped = threading.Event()
        self.server = ThreadingHTTPServer((address, 0), self.handler())
        self.server.daemon_threads = True
        self.url = f"http://{address}:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        threading.Thread(target=self.publish, daemon=True).start()

    def publish(self):
        for feed in itertools.cycle(FEEDS):
            if self.stopped.wait(self.pause):
                return
            with self.lock:
                items = self.items[feed]
                items.append(Item(self.url, feed, len(items), self.clock.now()))

    def stop(self):
        self.stopped.set()

    def published(self):
        """The titles of everything that was published so far."""
        with self.lock:
            return {item.title for items in self.items.values() for item in items}

    def handler(origin):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                feed = self.path.strip("/")
                if feed not in FEEDS:
                    return self.answer(404, {}, b"")
                with origin.lock:
                    items = list(origin.items[feed])
                tag = f'"{len(items)}"'
                if self.headers.get("If-None-Match") == tag:
                    return self.answer(304, {"ETag": tag}, b"")
                kind = FEEDS[feed]
                body = WRITERS[kind](origin.url, feed, items[::-1]).encode()
                self.answer(200, {"ETag": tag, "Content-Type": TYPES[kind]}, body)

            def answer(self, status, headers, body):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


def rss(site, feed, items):
    def entry(item):
        link = "true" if item.id == item.link else "false"
        return (
            f"<item><title>{escape(item.title)}</title><link>{item.link}</link>"
            f'<guid isPermaLink="{link}">{item.id}</guid>'
            f"<pubDate>{email.utils.formatdate(item.at)}</pubDate></item>"
        )

    entries = "".join(map(entry, items))
    return f'<rss version="2.0"><channel><title>{feed}</title><link>{site}/</link>{entries}</channel></rss>'


def atom(site, feed, items):
    def entry(item):
        return (
            f"<entry><id>{item.id}</id><title>{escape(item.title)}</title>"
            f'<link href="{item.link}"/><updated>{rfc3339(item.at)}</updated></entry>'
        )

    entries = "".join(map(entry, items))
    newest = rfc3339(items[0].at if items else 0)
    return (
        f'<feed xmlns="http://www.w3.org/2005/Atom"><id>{site}/{feed}</id><title>{feed}</title>'
        f"<updated>{newest}</updated>{entries}</feed>"
    )


def json_feed(site, feed, items):
    def entry(item):
        return {
            "id": item.id,
            "url": item.link,
            "title": item.title,
            "content_text": item.title,
            "date_published": rfc3339(item.at),
        }

    return json.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": feed,
            "home_page_url": f"{site}/",
            "items": list(map(entry, items)),
        }
    )


def rfc3339(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


WRITERS = {"rss": rss, "atom": atom, "json": json_feed}
