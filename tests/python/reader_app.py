"""Reads at a node with a client of FreshRSS from PyPI: logs in, lists, reads, marks, follows.

    reader_app.py NODE SOURCE

NODE is the address of the node, SOURCE that of a source to follow. Prints what it saw as one JSON object.
"""

import asyncio
import json
import sys

from freshrss_mcp.client import AuthenticationError, FreshRSSClient

READING_LIST = "user/-/state/com.google/reading-list"
READ = "user/-/state/com.google/read"
STARRED = "user/-/state/com.google/starred"


async def pages(client, count, **more):
    """All articles, some at a time."""
    articles, continuation = [], None
    while True:
        page = await client.get_stream_contents(count=count, continuation=continuation, **more)
        articles += page.items
        continuation = page.continuation
        if not page.has_more:
            return articles


def titles(articles):
    return [article.title for article in articles]


async def unread(client):
    counts = await client.get_unread_counts()
    return {count.id: count.count for count in counts}[READING_LIST]


async def main(node, source):
    seen = {}
    async with FreshRSSClient(node, "me", "here") as client:
        try:
            await client.get_token()
        except AuthenticationError:
            seen["needs_login"] = True
        await client.authenticate()
        await client.get_token()
        seen["subscriptions"] = [own.title for own in (await client.get_subscription_list()).subscriptions]
        articles = await pages(client, 2)
        seen["titles"] = titles(articles)
        seen["links"] = all(article.url for article in articles)
        seen["unread"] = [await unread(client)]
        ids = [article.id for article in articles]
        seen["marked"] = (await client.mark_as_read(ids[:2])).status
        seen["unread"].append(await unread(client))
        seen["left"] = titles(await pages(client, 1, exclude_target=READ))
        await client.mark_as_unread(ids[:1])
        seen["unread"].append(await unread(client))
        await client.star_article(ids[2:])
        seen["starred"] = titles(await pages(client, 10, stream_id=STARRED))
        await client.unstar_article(ids[2:])
        seen["starred_no_more"] = titles(await pages(client, 10, stream_id=STARRED))
        seen["subscribed"] = (await client.subscribe(source, title="Mine", folder="Tech & more")).status
        own = [own for own in (await client.get_subscription_list()).subscriptions if own.title == "Mine"]
        seen["folder"] = [category.label for category in own[0].categories]
        seen["folders"] = [folder.id for folder in (await client.get_tag_list()).folders]
        seen["in_folder"] = titles(await pages(client, 10, stream_id="user/-/label/Tech & more"))
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
