"""Reads a feed of a node as any program can: with stubs generated from the .proto, and nothing of ours.

    client.py PROTO_FOLDER ADDRESS FEED WANTED

Generates the stubs, lists the feeds, fetches FEED page by page, prints one line of JSON, and then watches
until FEED has WANTED entries, which it fetches after its cursor and prints as a second line.
"""

import importlib
import json
import pathlib
import sys
import tempfile

import grpc
import grpc_tools
from grpc_tools import protoc


def generated(protos):
    """The stubs, as the documentation of gRPC says to make them."""
    folder = tempfile.mkdtemp()
    well_known = pathlib.Path(grpc_tools.__file__).parent / "_proto"
    file = "pergola/v1/syndication.proto"
    options = ["protoc", f"-I{protos}", f"-I{well_known}", f"--python_out={folder}"]
    if protoc.main([*options, f"--grpc_python_out={folder}", file]) != 0:
        sys.exit("the stubs could not be generated")
    sys.path.insert(0, folder)
    names = ("pergola.v1.syndication_pb2", "pergola.v1.syndication_pb2_grpc")
    return [importlib.import_module(name) for name in names]


def say(**what):
    print(json.dumps(what), flush=True)


def main():
    protos, address, feed, wanted = sys.argv[1:]
    messages, services = generated(protos)
    with grpc.insecure_channel(address) as channel:
        node = services.SyndicationStub(channel)
        listed = node.ListFeeds(messages.ListFeedsRequest(), timeout=30)
        described = node.Describe(messages.DescribeRequest(feed=feed), timeout=30)
        titles, cursor, more = [], "", True
        while more:
            newest = 0 if cursor else 1000
            request = messages.FetchRequest(feed=feed, cursor=cursor, limit=2, newest=newest)
            page = node.Fetch(request, timeout=30)
            titles += [entry.item.title for entry in page.entries]
            cursor, more = page.cursor, page.more
        say(
            node=listed.node.id,
            feeds=[info.name for info in listed.feeds],
            keywords=list(described.profile.keywords),
            titles=titles,
        )
        stream = node.Watch(messages.WatchRequest(feed=feed, cursor=cursor), timeout=60)
        for told in stream:
            if len(titles) + told.pending >= int(wanted):
                break
        stream.cancel()
        page = node.Fetch(messages.FetchRequest(feed=feed, cursor=cursor), timeout=30)
        say(titles=[entry.item.title for entry in page.entries], cursor=page.cursor == told.head)
        try:
            node.Fetch(messages.FetchRequest(feed="no such feed"), timeout=30)
        except grpc.RpcError as error:
            say(code=error.code().name, details=error.details())


main()
