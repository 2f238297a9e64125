"""Runs a program in a terminal and presses keys when it shows something.

    terminal.py PROGRAM ARGUMENTS… -- SHOWN KEYS [SHOWN KEYS …]

Waits until the program shows each text, then presses the keys; `\\n` and `\\x05` stand for what they do in Python.
Ends with the status of the program, or with 1 if something is not shown for 60 seconds.
"""

import os
import pty
import select
import sys
import time

PATIENCE = 60


def main(command, steps):
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm"
        os.execvp(command[0], command)
    shown = b""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            break
        if steps and steps[0][0] in shown:
            os.write(terminal, steps.pop(0)[1])
            shown = b""
            until = time.monotonic() + PATIENCE
    else:
        os.kill(child, 9)
        sys.exit(f"not shown: {steps[:1]} in {shown!r}")
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status) or bool(steps))


if __name__ == "__main__":
    end = sys.argv.index("--")
    texts = [text.encode().decode("unicode_escape").encode("latin-1") for text in sys.argv[end + 1 :]]
    main(sys.argv[1:end], list(zip(texts[::2], texts[1::2])))
