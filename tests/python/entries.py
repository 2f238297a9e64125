"""Prints the entries of a feed as feedparser reads them: a list of JSON objects.

    entries.py FILE

JSON Feed is read as plain JSON, because feedparser 6.0 does not know it.
"""

import calendar
import datetime
import json
import sys

import feedparser


def seconds(entry):
    at = entry.get("published_parsed") if "published" in entry else None
    return calendar.timegm(at) if at else None


def files(entry):
    """The enclosures, and what Media RSS adds to them."""
    urls = [file["href"] for file in entry.get("enclosures", [])]
    more = [file["url"] for file in entry.get("media_content", []) if file.get("url")]
    return urls + [url for url in more if url not in urls]


def of_xml(path):
    document = feedparser.parse(path)
    if document.bozo:
        sys.exit(f"feedparser complains: {document.bozo_exception!r}")
    for entry in document.entries:
        yield {
            "id": entry.id,
            "title": entry.title,
            "published": seconds(entry),
            "enclosures": files(entry),
        }


def of_json(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    for item in document["items"]:
        at = item.get("date_published")
        yield {
            "id": item["id"],
            "title": item.get("title"),
            "published": at and int(datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp()),
            "enclosures": [file["url"] for file in item.get("attachments", [])],
        }


path = sys.argv[1]
print(json.dumps(list(of_json(path) if path.endswith(".json") else of_xml(path))))
