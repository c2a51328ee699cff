# shellcheck shell=sh disable=SC2034
# What the bundled agents share of the OCF Resource Agent API 1.1: exit codes, exit reasons, metadata and the choice of the action.
# An agent reads it with `.`; it needs no other package and starts no process.

OCF_SUCCESS=0
OCF_ERR_GENERIC=1
OCF_ERR_ARGS=2
OCF_ERR_UNIMPLEMENTED=3
OCF_ERR_PERM=4
OCF_ERR_INSTALLED=5
OCF_ERR_CONFIGURED=6
OCF_NOT_RUNNING=7
OCF_DEGRADED=190

# Several nodes may live on one machine: each has a folder of its own where its daemon's socket is.
tools=${SYSTOLE_TOOLS_SOCKET:-/run/systole/tools.sock}
run_folder=${tools%/*}/agents
instance=${OCF_RESOURCE_INSTANCE:-default}

reason() {
  printf 'ocf-exit-reason:%s\n' "$*" >&2
}

log() {
  printf '%s: %s\n' "$instance" "$*" >&2
}

is_number() {
  case $1 in '' | *[!0-9]*) return 1 ;; esac
}

# number NAME VALUE: a parameter that must be a whole number above zero.
number() {
  is_number "$2" && [ "$2" -gt 0 ] && return 0
  reason "$1 '$2' is not a number above zero"
  return $OCF_ERR_CONFIGURED
}

installed() {
  command -v "$1" >/dev/null 2>&1 && return 0
  reason "$1 is not installed"
  return $OCF_ERR_INSTALLED
}

# Seconds that a stop may take before it must kill: a little less than what the cluster gives to the operation.
stop_seconds() {
  seconds=$((${OCF_RESKEY_CRM_meta_timeout:-20000} / 1000 - 5))
  [ "$seconds" -ge 1 ] || seconds=1
  echo "$seconds"
}

# in_seconds N: sets deadline. By the clock and not by counting sleeps: on a busy machine a short sleep takes many times as long.
in_seconds() {
  read_clock
  deadline=$((clock + 100 * $1))
}

is_over() {
  read_clock
  [ "$clock" -ge "$deadline" ]
}

# Hundredths of a second since the machine booted.
read_clock() {
  read -r uptime _ </proc/uptime
  clock=${uptime%.*}${uptime#*.}
}

# metadata_begin NAME SHORT LONG. The texts are XML. What OCF 1.1 has and ra-api-1.dtd does not know yet is declared beside it,
# so that programs that validate against that file, such as ocf-tester, accept it.
metadata_begin() {
  cat <<END
<?xml version="1.0"?>
<!DOCTYPE resource-agent SYSTEM "ra-api-1.dtd" [
  <!ATTLIST parameter unique-group CDATA #IMPLIED reloadable (1|0) "0">
  <!ATTLIST action name CDATA #REQUIRED>
]>
<resource-agent name="$1" version="1.0">
  <version>1.1</version>
  <longdesc lang="en">$3</longdesc>
  <shortdesc lang="en">$2</shortdesc>
  <parameters>
END
}

# parameter NAME TYPE DEFAULT FLAGS SHORT LONG. Flags, in one word: `required`, `reloadable`, `unique`; `-` for none. An empty
# default is none.
parameter() {
  flags=' required="0"'
  default=
  [ -z "$3" ] || default=" default=\"$3\""
  case $4 in *required*) flags=' required="1"' ;; esac
  case $4 in *unique*) flags="$flags unique-group=\"$1\"" ;; esac
  case $4 in *reloadable*) flags="$flags reloadable=\"1\"" ;; esac
  cat <<END
    <parameter name="$1"$flags>
      <longdesc lang="en">$6</longdesc>
      <shortdesc lang="en">$5</shortdesc>
      <content type="$2"$default/>
    </parameter>
END
}

# metadata_end LINE...: each line is what stands inside of an action's element.
metadata_end() {
  echo '  </parameters>'
  echo '  <actions>'
  for action in "$@"; do echo "    <action $action/>"; done
  cat <<'END'
    <action name="meta-data" timeout="5s"/>
    <action name="validate-all" timeout="20s"/>
  </actions>
</resource-agent>
END
}

# run_agent ACTION: calls the agent_… function of the action. A monitor looks at what is there and not at the parameters: whoever edits a
# file that only a start reads must not lose what runs.
run_agent() {
  case ${1:-} in
    meta-data) agent_metadata ;;
    validate-all) agent_validate ;;
    start)
      agent_validate || return $?
      mkdir -p "$run_folder" || return $OCF_ERR_GENERIC
      agent_start
      ;;
    stop) agent_stop ;;
    monitor | status) agent_monitor ;;
    reload-agent) agent_reload ;;
    '') return $OCF_ERR_ARGS ;;
    *) return $OCF_ERR_UNIMPLEMENTED ;;
  esac
}
