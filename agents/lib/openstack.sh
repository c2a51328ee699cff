# shellcheck shell=sh disable=SC2034,SC2154
# The agent of one OpenStack service: the unit that Debian's or RDO's packages bring, or a command line, and its API.
#
# An agent sets `lib` and the following, then reads this:
#   name           of the agent
#   title          what it is, in a few words
#   units          the names of its unit in the distributions
#   default_url    its API on this node, and default_codes that it answers with; empty for a worker, which has none
#   default_user   as whom Debian's packages run it
# and for a worker, which reports to its project's API that it lives:
#   reported_at    the API, and what is asked below it: `http://127.0.0.1:8774/v2.1 os-services?binary=nova-scheduler`
#   up             how the API says that it lives: `"state":"up"`

. "$lib/unit-files.sh"
# `command` says that no unit is wanted.
[ -n "${OCF_RESKEY_command:-}" ] || unit=${OCF_RESKEY_unit:-$(first_unit $units)}
. "$lib/service.sh"
. "$lib/worker-report.sh"

agent_metadata() {
  if [ -n "$default_url" ]; then
    how='A monitor asks its API: a service that hangs, or that only answers with errors, has failed even though its process is there. A start ends when the API answers.'
  else
    how='It has no API of its own. A monitor looks at its unit or process; with OCF_CHECK_LEVEL=10 it asks the API of its project whether the worker reports that it lives.'
  fi
  metadata_begin "$name" "$title" "$title. $how
It runs as the systemd unit of the distribution's package or, with command, as a process of the agent's own."
  parameter unit string '' - 'systemd unit' \
    "The unit, without .service. The default is the first one of these that is installed: $units."
  parameter command string '' - 'Command line instead of a unit' \
    'The program and its arguments, where no unit is wanted: it must not put itself into the background. The init scripts of Debian'"'"'s packages do this when they are called with systemd-start.'
  service_parameters
  if [ -n "${reported_at:-}" ]; then
    report_parameters
    service_actions 'name="monitor" depth="10" timeout="30s" interval="60s"'
  else
    service_actions
  fi
}

agent_validate() {
  if [ -z "$unit$command" ]; then
    reason "none of the units $units is installed: set unit or command"
    return $OCF_ERR_INSTALLED
  fi
  validate_service || return $?
  validate_report
}

agent_start() {
  start_service || return $?
  touch "$started_file"
}

agent_stop() {
  [ -n "$unit$command" ] || return $OCF_SUCCESS
  stop_service || return $?
  rm -f "$started_file"
}

agent_monitor() {
  [ -n "$unit$command" ] || return $OCF_NOT_RUNNING
  monitor_service || return $?
  [ "${OCF_CHECK_LEVEL:-0}" -ge 10 ] || return $OCF_SUCCESS
  monitor_report
}
