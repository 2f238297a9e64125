# The shell in which tests/it/documents.rs runs the blocks of a page, in the order of the page.
#
#   bash session.sh PAGE.sh
#
# PAGE.sh has every line of the page's shell blocks at its place; all other lines are empty. So the line that a
# failure names is that of the page. The test sets:
#
#   WORKSPACE  the folder of the project     BIN   our programs
#   SITE       the site that stands for every host of example.org
#   HOME       the reader's home folder, and the working directory
#
# A program that has a function below is not run, or not as it stands. `only_checked` notes why, from a short list of
# reasons: builds, containers, installs, system, minutes, another-machine.
PAGE=$1
NODE_PORT=$HOME/port
NODE=

failed() { printf '%s: line %s: exit code %s\n' "$PAGE" "$2" "$1" >> "$HOME/failures"; }
trap 'failed $? "$LINENO"' ERR
trap 'stop_node; wait' EXIT

# REASON PROGRAM WORDS...
only_checked() { printf '%s\t%s\n' "$1" "${*:2}" >> "$HOME/only-checked"; }

# Whether our own command line accepts the words. Help is asked for last: whatever goes before it is parsed first.
parsed() { "$BIN/$1" "${@:2}" --help > /dev/null; }

# The words of a command with the site for the hosts of example.org, and the node's address for that of the page.
words() {
    WORDS=()
    local word address
    address=$(cat "$NODE_PORT" 2> /dev/null)
    for word in "$@"; do
        case $word in
            *://*@*) ;;
            *.example.org) word=${SITE#http://}/$word ;;
            *) word=$(sed -E "s#https?://([a-z0-9.-]*example\.org)(:[0-9]+)?#$SITE/\1#g" <<< "$word") ;;
        esac
        word=${word//127.0.0.1:81[0-9][0-9]/$address}
        WORDS+=("${word//127.0.0.1:8080/$address}")
    done
}

start_node() {
    rm -f "$NODE_PORT"
    "$BIN/pergola" run --port-file "$NODE_PORT" "$@" >> "$HOME/log" 2>&1 &
    NODE=$!
    local turn
    for turn in {1..600}; do
        "$BIN/pergola" healthcheck > /dev/null 2>&1 && return
        sleep 0.1
    done
    return 1
}

stop_node() {
    [[ -n $NODE ]] || return 0
    kill "$NODE"
    wait "$NODE" 2> /dev/null
    NODE=
}

# A command that follows something for ever ends after its first line.
first_line() {
    local line source
    exec {source}< <(exec "$@")
    local follower=$!
    read -r -t 60 -u "$source" line
    local got=$?
    kill "$follower"
    exec {source}<&-
    return "$got"
}

# Ends with 1 to say something, not because the command was wrong.
may_say_no() { "$@" || [[ $? == 1 ]]; }

pergola() {
    if [[ " $* " == *" --node https"* ]]; then
        elsewhere "$@"
        return
    fi
    words "$@"
    set -- "${WORDS[@]}"
    case "$1 $2" in
        "run "*) start_node "${@:2}" ;;
        "feed tail") first_line "$BIN/pergola" "$@" ;;
        "bench "* | "demo "* | "newsroom "*) parsed pergola "$@" && only_checked minutes pergola "$@" ;;
        "doctor "* | "source refresh") may_say_no "$BIN/pergola" "$@" ;;
        "backup /data/"*) "$BIN/pergola" backup "$HOME/${2#/data/}" ;;
        "restore "* | "store "*) without_node "$BIN/pergola" "$@" ;;
        *) "$BIN/pergola" "$@" ;;
    esac
}

# The node that runs stands for one on another machine. The token of the page is none of it.
elsewhere() {
    only_checked another-machine pergola "$@"
    parsed pergola "$@" || return
    local words=()
    while (($#)); do
        if [[ $1 == --node ]]; then shift; else words+=("$1"); fi
        shift
    done
    env -u PERGOLA_API__TOKEN "$BIN/pergola" "${words[@]}"
}

# These commands want the data folder for themselves; the page says so.
without_node() {
    local was=$NODE
    stop_node
    "$@"
    local code=$?
    [[ -z $was ]] || start_node
    return "$code"
}

topology-gen() {
    # The one node that runs stands for the mesh; the hosts of example.org stay what they are.
    if [[ $1 == observe ]]; then words "$@"; else WORDS=("$@"); fi
    "$BIN/topology-gen" "${WORDS[@]}"
}

pergola-lab() {
    case $1 in
        list) "$BIN/pergola-lab" "$@" ;;
        *) parsed pergola-lab "$@" && only_checked minutes pergola-lab "$@" ;;
    esac
}

pergola-sim() { parsed pergola-sim "$@" && only_checked minutes pergola-sim "$@"; }

cargo() {
    only_checked builds cargo "$@"
    case $1 in
        run) cargo_run "${@:2}" ;;
        install | build | test | bench | doc) cargo_names "${@:2}" ;;
        *) echo "cargo $1 is not known here" >&2; return 1 ;;
    esac
}

# What `cargo run` would start accepts what it is given.
cargo_run() {
    local package=pergola example= program=
    while (($#)); do
        case $1 in
            -p) package=$2; shift 2 ;;
            --example) example=$2; shift 2 ;;
            --bin) program=$2; shift 2 ;;
            --) shift; break ;;
            *) shift ;;
        esac
    done
    if [[ -n $example ]]; then
        [[ -f $WORKSPACE/${package#pergola-}/examples/$example.rs ]]
    elif [[ -n $program ]]; then
        grep -q "^name = \"$program\"" "$WORKSPACE/${package#pergola-}/Cargo.toml"
    else
        [[ $package != pergola-topology ]] || package=topology-gen
        parsed "$package" "$@"
    fi
}

# The packages, paths and test programs that are named exist.
cargo_names() {
    local folder
    while (($#)); do
        case $1 in
            -p) grep -q "^name = \"$2\"" "$WORKSPACE"/*/Cargo.toml || return; shift ;;
            --test) grep -q "^name = \"$2\"" "$WORKSPACE"/*/Cargo.toml || return; shift ;;
            --path) [[ -f $WORKSPACE/$2/Cargo.toml ]] || return; shift ;;
            --manifest-path) shift ;;
            --) return 0 ;;
        esac
        shift
    done
}

# Programs of the repository, by their path in it.
of_the_repository() {
    [[ -x $WORKSPACE/$1 ]] && only_checked minutes "$@"
}
.ci/run() { of_the_repository .ci/run "$@"; }
fuzz/run() { of_the_repository fuzz/run "$@"; }
tests/upgrade/rolling() { of_the_repository tests/upgrade/rolling "$@"; }

# What would run in the container runs here.
docker() {
    only_checked containers docker "$@"
    case "$*" in
        "compose exec pergola pergola "*) "${@:4}" ;;
    esac
}
docker-compose() { only_checked containers docker-compose "$@"; }
kubectl() { only_checked containers kubectl "$@"; }
pip() { only_checked installs pip "$@"; }
apt() { only_checked installs apt "$@"; }
journalctl() { only_checked system journalctl "$@"; }
promtool() { only_checked installs promtool "$@"; }

# The service of the page is the node of this session.
systemctl() {
    only_checked system systemctl "$@"
    case "$*" in
        "stop pergola" | "disable --now pergola") stop_node ;;
        "start pergola" | "enable --now pergola") [[ -n $NODE ]] || start_node ;;
        "restart pergola") stop_node; start_node ;;
        "reload pergola") kill -HUP "$NODE" ;;
        "status pergola" | daemon-reload) ;;
        *) echo "systemctl $* is not known here" >&2; return 1 ;;
    esac
}

# Nothing here may change the machine: what the administrator would do is noted, the service and the node apart.
sudo() {
    case $1 in
        pergola) if [[ $2 == --data ]]; then pergola "${@:4}"; else "$@"; fi ;;
        systemctl | journalctl) "$@" ;;
        *) only_checked system sudo "$@"; cat > /dev/null < /dev/null ;;
    esac
}

# Documents of the node that runs; other machines are not asked.
curl() {
    words "$@"
    case " $*" in
        *" http://127.0.0.1:81"*) only_checked containers curl "$@" ;;
        *) command curl --silent --show-error --fail --max-time 60 "${WORDS[@]}" ;;
    esac
}

# Run only where the module that the page has installed is there; listed in any case, for the list to be the same.
python3() {
    only_checked installs python3 "$@"
    if command "$PYTHON" -c "import ${2%%.*}" 2> /dev/null; then command "$PYTHON" "$@"; fi
}

# A block of configuration, checked where the files are that the page has made.
check_configuration() { "$BIN/pergola" --config "$1" config check; }
check_mesh() { "$BIN/topology-gen" stats "$1"; }
check_python() { command "$PYTHON" -m py_compile "$1"; }

if [[ -f $2 ]]; then source "$2"; fi
# A page that starts no node supposes one that runs.
[[ -n $NODE ]] || grep -q '^pergola run' "$PAGE" || start_node
# `pergola run &` returns when the node is ready, so that the next command finds it.
sed -i -E 's/^(pergola run[^#&]*)&/\1 /' "$PAGE"
echo : >> "$PAGE"
source "$PAGE"
