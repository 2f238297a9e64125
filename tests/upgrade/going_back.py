"""From an upgraded folder back to the older program: it refuses, names the backup, and goes on from it."""

import hashlib
import json
import subprocess
import time


def contents(folder):
    """A digest of every file but the lock, which is empty."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock"]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def refusal(node, program, data):
    """What a program says that cannot open a folder; nothing if it runs."""
    command = node.command(program, "--data", data, "run")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return said.strip() if process.returncode else None


def older_refuses(table, node, program):
    """The older program on a copy of the upgraded folder of a node. Returns the backup that it named."""
    data = node.copy_of_data("upgraded")
    before = contents(data)
    said = refusal(node, program, data)
    print(f"    the older program says: {said}")
    table.check("the older program refuses an upgraded folder", said is not None)
    table.check("… and changes nothing in it", contents(data) == before)
    backups = [path for path in data.glob("before-schema-*.backup") if path.name in (said or "")]
    table.check("… and names the backup from before the upgrade", len(backups) == 1)
    return data, backups


def older_goes_back(table, node, program, data, backup, held, everything):
    """The older program restores the backup, holds what it held when it was stopped, and catches up."""
    command = node.command(program, "--data", data, "restore", backup, "--replace")
    restored = subprocess.run(command, capture_output=True, text=True)
    table.check("the older program restores that backup", restored.returncode == 0, restored.stderr.strip())
    node.data.rename(node.home / "newer")
    data.rename(node.data)
    node.start(program, "old")
    table.wait("… starts with it", node.ready)
    for feed, entries in held.items():
        now = node.entries(feed)
        table.check(f"… holds what {feed} had held, under the same ids", now[: len(entries)] == entries)
    caught_up = lambda: everything <= {title for _, _, title in node.entries("News")}  # noqa: E731
    begun = time.monotonic()
    table.wait("… and catches up with the newer nodes", caught_up)
    titles = [title for _, _, title in node.entries("News")]
    figure = f"{len(titles)} items, {time.monotonic() - begun:.0f} s"
    table.check("… every item once", len(set(titles)) == len(titles), figure)
    node.stop()


def newer_refuses(table, node, program):
    """The newest program on a folder of a version that is still to come."""
    data = node.home / "upgraded-further"
    data.mkdir()
    backup = next(node.data.glob("before-schema-*.backup"))
    (data / backup.name).write_bytes(backup.read_bytes())
    (data / "format.json").write_text(json.dumps({"schema": 99, "backend": "redb"}))
    before = contents(data)
    said = refusal(node, program, data)
    print(f"    the newest program says: {said}")
    table.check("the newest program refuses a folder of a later version", said is not None and "99" in said)
    table.check("… changes nothing and names the backup", contents(data) == before and str(data / backup.name) in (said or ""))
