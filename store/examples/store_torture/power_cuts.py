#!/usr/bin/env python3
"""What a power cut leaves of a store: records the writes and syncs of a process that commits, and replays them with
parts of the unsynced ones missing.

    cargo build -p pergola-store --example store_torture
    store/examples/store_torture/power_cuts.py target/debug/examples/store_torture sled 200 [SEED]

Needs strace. Writes that were synced are kept. Of the others each is lost, kept, or torn into sectors of 512 bytes.
New names and removed names count as synced with the next sync of the file or its folder. Prints how many cuts lost an
acknowledged batch, tore one, or left a store that does not open. With LYING in the environment the disk keeps nothing for
certain, so that there are losses to be found.
"""
import os, random, re, shutil, signal, subprocess, sys, tempfile

SECTOR = 512
CALLS = "openat,close,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat"


def record(program, engine, folder, log, batches):
    command = ["strace", "-f", "-xx", "-s", "8000000", "-e", "trace=" + CALLS, "-o", log, program, folder, engine]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    for line in process.stdout:
        if int(line) >= batches:
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def text(quoted):
    return bytes.fromhex(quoted.replace("\\x", "")).decode()


def calls(log):
    """(line of entry, line of completion, name, arguments, result) in the order of completion."""
    open_calls = {}
    for number, line in enumerate(open(log, errors="replace")):
        thread, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            open_calls[thread] = (number, rest[: -len("<unfinished ...>")])
            continue
        entry = number
        if rest.startswith("<... "):
            if thread not in open_calls:
                continue
            entry, begun = open_calls.pop(thread)
            rest = begun + rest.partition("resumed>")[2]
        found = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", rest)
        if found:
            yield entry, number, found[1], found[2], int(found[3])


def history(log, root):
    """What was done to files below a folder."""
    files, done = {}, []
    for entry, end, name, arguments, result in calls(log):
        strings = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)
        if result < 0 and name != "mkdir":
            continue
        if name == "openat" and strings:
            path = text(strings[0])
            files[result] = path
            if path.startswith(root) and "O_CREAT" in arguments:
                done.append((entry, end, "create", path, None))
        elif name == "close":
            files.pop(int(arguments), None)
        elif name in ("write", "pwrite64"):
            descriptor = int(arguments.partition(",")[0])
            data = bytes.fromhex(strings[0].replace("\\x", "")) if strings else b""
            if descriptor == 1:
                done.append((entry, end, "acknowledge", None, int(data)))
            elif files.get(descriptor, "").startswith(root):
                at = int(arguments.rpartition(",")[2]) if name == "pwrite64" else None
                done.append((entry, end, "write", files[descriptor], (at, data[:result])))
        elif name == "ftruncate":
            descriptor, length = arguments.split(",")
            if files.get(int(descriptor), "").startswith(root):
                done.append((entry, end, "length", files[int(descriptor)], int(length)))
        elif name in ("fsync", "fdatasync"):
            if files.get(int(arguments), "").startswith(root):
                done.append((entry, end, "sync", files[int(arguments)], None))
        elif name.startswith("rename") and text(strings[0]).startswith(root):
            done.append((entry, end, "rename", text(strings[0]), text(strings[1])))
        elif name.startswith("unlink") and text(strings[0]).startswith(root):
            done.append((entry, end, "unlink", text(strings[0]), None))
        elif name.startswith("mkdir") and text(strings[0]).startswith(root):
            done.append((entry, end, "mkdir", text(strings[0]), None))
    return done


def is_synced(step, syncs, cut):
    entry, end, kind, path, _ = step
    folder = os.path.dirname(path)
    places = {path} if kind in ("write", "length") else {path, folder, step[4] if kind == "rename" else path}
    return any(end < begun and finished < cut and at in places for begun, finished, at in syncs)


def replay(done, cut, chance, root, into):
    """The folder as it is after a cut."""
    syncs = [(entry, end, path) for entry, end, kind, path, _ in done if kind == "sync"]
    if "LYING" in os.environ:
        syncs = []
    contents, ends = {}, {}
    for step in done:
        entry, end, kind, path, more = step
        if entry >= cut or kind in ("sync", "acknowledge"):
            continue
        fate = "kept" if is_synced(step, syncs, cut) else chance.choice(["lost", "kept", "torn"])
        if kind == "mkdir":
            os.makedirs(into + path[len(root):], exist_ok=True)
        elif kind == "create":
            contents.setdefault(path, bytearray())
        elif kind == "write":
            at, data = more
            at = ends.get(path, 0) if at is None else at
            ends[path] = at + len(data)
            file = contents.setdefault(path, bytearray())
            pieces = [(at, data)] if fate == "kept" else []
            if fate == "torn":
                first = SECTOR - at % SECTOR
                cuts = [0] + list(range(first, len(data), SECTOR)) + [len(data)]
                pieces = [(at + a, data[a:b]) for a, b in zip(cuts, cuts[1:]) if chance.random() < 0.5]
            for place, piece in pieces:
                if len(file) < place + len(piece):
                    file.extend(bytes(place + len(piece) - len(file)))
                file[place : place + len(piece)] = piece
        elif kind == "length" and fate != "lost":
            file = contents.setdefault(path, bytearray())
            del file[more:]
            file.extend(bytes(more - len(file)))
        elif kind == "rename" and fate != "lost" and path in contents:
            contents[more] = contents.pop(path)
        elif kind == "unlink" and fate != "lost":
            contents.pop(path, None)
    for path, file in contents.items():
        name = into + path[len(root):]
        os.makedirs(os.path.dirname(name), exist_ok=True)
        open(name, "wb").write(file)
    acknowledged = [number for entry, _, kind, _, number in done if kind == "acknowledge" and entry < cut]
    return max(acknowledged, default=0)


def main():
    program, engine, cuts = sys.argv[1], sys.argv[2], int(sys.argv[3])
    chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    place = tempfile.mkdtemp()
    root, log = place + "/data", place + "/log"
    record(program, engine, root, log, 60)
    done = history(log, root)
    last = max(end for _, end, *_ in done)
    counts = {"good": 0, "lost": 0, "torn": 0, "does not open": 0}
    for number in range(cuts):
        copy = f"{place}/cut"
        shutil.rmtree(copy, ignore_errors=True)
        acknowledged = replay(done, chance.randrange(last + 1), chance, root, copy)
        os.makedirs(copy, exist_ok=True)
        said = subprocess.run([program, "--verify", copy], capture_output=True, text=True)
        if said.returncode == 0:
            there = int(said.stdout)
            kind = "good" if there in (acknowledged, acknowledged + 1) else "lost"
        else:
            there, kind = said.stderr.strip()[-300:], "torn" if "is torn" in said.stderr else "does not open"
        if kind != "good" and counts[kind] < 3:
            print(f"cut {number}: {acknowledged} acknowledged, {kind}: {there}")
        counts[kind] += 1
    shutil.rmtree(place)
    print(engine, cuts, "cuts:", ", ".join(f"{count} {kind}" for kind, count in counts.items()))


main()
