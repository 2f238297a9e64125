#!/bin/sh
# Starts and stops this mesh as processes of this machine, on its loopback address. Written by topology-gen.
set -u

usage() {
    cat <<'END'
Usage: ./mesh COMMAND [NAME…]

  start [NAME…]   start all members, or these, and wait until they are ready
  run             start all members, and stop them at Ctrl-C
  stop [NAME…]    stop all members, or these
  restart NAME…   stop these members and start them again
  status [NAME…]  show which members are ready; exits with 0 if all are
  logs NAME       follow the log of one member

If `pergola` is not on the PATH, set PERGOLA to its path, for example:
  PERGOLA=../target/release/pergola ./mesh start
END
}

folder=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 1
# Make a relative path absolute, because the script changes the folder.
program=${PERGOLA:-pergola}
case $program in
    /*) ;;
    */*) program=$(pwd)/$program ;;
esac
cd "$folder" || exit 1
speed=@SPEED@
# The seconds that a member has to become ready, and to stop.
patience=${MESH_PATIENCE:-60}
grace=40

# Level, name and port of each member, in the order of starting. A member reads from lower levels only.
members() {
    cat <<'END'
@MEMBERS@
END
}

port_of() { members | while read -r _ name port; do [ "$name" = "$1" ] && echo "$port"; done; }

names() { members | while read -r _ name _; do echo "$name"; done; }

say() { printf '%s\n' "$*"; }

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# The process id of a member, if it runs. An id that now belongs to another program does not count.
pid_of() {
    pid=$(cat "run/$1.pid" 2>/dev/null) || return 1
    [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null || return 1
    if said=$(ps -o args= -p "$pid" 2>/dev/null); then
        case $said in
            *"$folder/$(file_of "$1")"*) ;;
            *) return 1 ;;
        esac
    fi
    echo "$pid"
}

file_of() { if [ "$1" = newsroom ]; then echo newsroom.toml; else echo "nodes/$1.toml"; fi; }

is_ready() { "$program" healthcheck --node "http://127.0.0.1:$(port_of "$1")/" >/dev/null 2>&1; }

# Accelerated clocks agree only if they start at the same time. It is stored with the data, because time must
# not go back for a node with data.
set_epoch() {
    [ "$speed" = 1 ] && return 0
    mkdir -p data || return 1
    [ -s data/epoch ] || date +%s >data/epoch || return 1
    PERGOLA_CLOCK__EPOCH=$(cat data/epoch)
    export PERGOLA_CLOCK__EPOCH
}

# Launches a member without waiting for it.
launch() {
    file=$folder/$(file_of "$1")
    if [ "$1" = newsroom ]; then
        set -- "$1" newsroom "$file" --listen "127.0.0.1:$(port_of "$1")" --speed "$speed"
        if [ -n "${PERGOLA_CLOCK__EPOCH:-}" ]; then
            set -- "$@" --epoch "$PERGOLA_CLOCK__EPOCH"
        else
            set -- "$@" --opening-file data/opening
        fi
    else
        set -- "$1" run --config "$file"
    fi
    name=$1
    shift
    # In a session of its own, so that Ctrl-C reaches only this script, which then stops all members.
    own=''
    command -v setsid >/dev/null 2>&1 && own=setsid
    rm -f "run/$name.pid"
    # shellcheck disable=SC2016,SC2086
    $own sh -c 'echo $$ >"$1"; shift; exec "$@"' sh "run/$name.pid" "$program" "$@" \
        >>"logs/$name.log" 2>&1 </dev/null &
}

nap() { sleep 0.2 2>/dev/null || sleep 1; }

# Waits until a member is ready. Prints the reason if it fails.
await() {
    begun=$(date +%s)
    until is_ready "$1" && pid_of "$1" >/dev/null; do
        waited=$(($(date +%s) - begun))
        if [ "$waited" -ge 2 ] && ! pid_of "$1" >/dev/null; then
            printf 'error: %s did not start; the end of logs/%s.log:\n' "$1" "$1" >&2
            tail -n 5 "logs/$1.log" | sed 's/^/  /' >&2
            if tail -n 5 "logs/$1.log" | grep -qi 'in use'; then
                say "  port $(port_of "$1") is in use: stop the program that uses it, or make the bundle with another --port" >&2
            fi
            return 1
        fi
        if [ "$waited" -ge "$patience" ]; then
            printf 'error: %s is not ready after %s seconds; see logs/%s.log\n' "$1" "$patience" "$1" >&2
            return 1
        fi
        nap
    done
}

# Starts those of these members that are not running, level by level. Stops them again on failure or Ctrl-C.
start() {
    command -v "$program" >/dev/null 2>&1 ||
        fail "there is no program \`$program\`; install it, or set PERGOLA to where it is"
    mkdir -p run logs data || exit 1
    set_epoch || exit 1
    started=''
    trap 'say; say "interrupted: stopping what was started"; stop $started; exit 130' INT
    trap 'stop $started; exit 143' TERM HUP
    levels=$(members | while read -r level _ _; do echo "$level"; done | uniq)
    for level in $levels; do
        launched=''
        for name in "$@"; do
            [ "$(members | while read -r l n _; do [ "$n" = "$name" ] && echo "$l"; done)" = "$level" ] || continue
            pid_of "$name" >/dev/null && continue
            if is_ready "$name"; then
                stop $started
                fail "port $(port_of "$name") of $name is in use: something answers there that this script did not start"
            fi
            : >>"logs/$name.log"
            launch "$name"
            launched="$launched $name"
            started="$started $name"
        done
        for name in $launched; do
            if ! await "$name"; then
                stop $started
                exit 1
            fi
        done
    done
    # Members that were running before may not be ready.
    for name in "$@"; do
        if ! await "$name"; then
            stop $started
            exit 1
        fi
    done
    trap - INT TERM HUP
}

# Asks these members to stop, waits for them, and kills those that do not stop in time.
stop() {
    begun=$(date +%s)
    for name in "$@"; do
        pid=$(pid_of "$name") && kill -TERM "$pid" 2>/dev/null
    done
    for name in "$@"; do
        while pid=$(pid_of "$name"); do
            if [ $(($(date +%s) - begun)) -ge "$grace" ]; then
                say "$name did not stop in time and is killed; its data survive that"
                kill -KILL "$pid" 2>/dev/null
            fi
            nap
        done
        rm -f "run/$name.pid"
    done
}

status() {
    bad=0
    for name in "$@"; do
        if ! pid=$(pid_of "$name"); then
            state='not running'
            bad=1
        elif is_ready "$name"; then
            state="ready (process $pid)"
        else
            state="not ready (process $pid)"
            bad=1
        fi
        printf '%-24s http://127.0.0.1:%s/  %s\n' "$name" "$(port_of "$name")" "$state"
    done
    return $bad
}

# Fails on a name that no member has.
check() {
    for name in "$@"; do
        [ -n "$(port_of "$name")" ] || fail "nobody is called \`$name\`; the members are $(names | tr '\n' ' ')"
    done
}

command=${1:-help}
[ $# -gt 0 ] && shift
check "$@"
# shellcheck disable=SC2046
case $command in
    start)
        if [ $# -eq 0 ]; then set -- $(names); fi
        start "$@"
        status "$@"
        ;;
    run)
        [ $# -eq 0 ] || fail "\`run\` starts all members; use \`start\` with names"
        start $(names)
        status $(names)
        trap 'say; say "stopping"; stop $(names); exit 0' INT TERM HUP
        say "Press Ctrl-C to stop all members."
        while :; do sleep 1; done
        ;;
    stop)
        if [ $# -eq 0 ]; then set -- $(names); fi
        stop "$@"
        ;;
    restart)
        [ $# -gt 0 ] || fail "which members? $(names | tr '\n' ' ')"
        stop "$@"
        start "$@"
        status "$@"
        ;;
    status)
        if [ $# -eq 0 ]; then set -- $(names); fi
        status "$@"
        ;;
    logs)
        [ $# -eq 1 ] || fail "which member? $(names | tr '\n' ' ')"
        exec tail -n 50 -f "logs/$1.log"
        ;;
    help | -h | --help) usage ;;
    *)
        usage >&2
        fail "there is no command \`$command\`"
        ;;
esac
