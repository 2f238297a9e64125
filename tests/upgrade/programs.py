"""The two programs: built from a commit in a worktree of its own, and from the files as they are."""

import os
import pathlib
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def run(*command, **options):
    if subprocess.run(command, **options).returncode != 0:
        sys.exit(f"this failed: {' '.join(map(str, command))}")


def of_commit(commit):
    """Builds `pergola` as of a commit, or takes what was built before."""
    asked = ["git", "-C", REPOSITORY, "rev-parse", "--verify", f"{commit}^{{commit}}"]
    found = subprocess.run(asked, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"there is no commit {commit} here: fetch the whole history, or name a program with --old")
    commit = found.stdout.strip()
    target = REPOSITORY / "target" / "upgrade" / commit
    program = target / "release" / "pergola"
    if not program.exists():
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "tree"
            run("git", "-C", REPOSITORY, "worktree", "add", "--detach", tree, commit)
            try:
                environment = {**os.environ, "CARGO_TARGET_DIR": str(target)}
                run("cargo", "build", "--release", "--locked", cwd=tree, env=environment)
            finally:
                run("git", "-C", REPOSITORY, "worktree", "remove", "--force", tree)
    return program


def of_this_tree():
    """Builds `pergola` from the files as they are."""
    run("cargo", "build", "--release", "--locked", "-p", "pergola", cwd=REPOSITORY)
    return REPOSITORY / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "pergola"


def existing(path):
    path = pathlib.Path(path).resolve()
    return path if os.access(path, os.X_OK) else sys.exit(f"{path} is no program")
