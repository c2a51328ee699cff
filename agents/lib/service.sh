# shellcheck shell=sh disable=SC2034,SC2154
# A service that is a process or a systemd unit and is asked by HTTP whether it serves: what ocf:systole:process and the agents of
# OpenStack's services have in common. It is the unit where there is one, and the process of `command` where there is none.
#
# An agent sets `lib`, and may set `unit`, `default_url`, `default_codes` and `default_user`, before it reads this.

lib=${lib:?}
. "$lib/ocf.sh"

unit=${unit:-}
command=${OCF_RESKEY_command:-}
user=${OCF_RESKEY_user:-${default_user:-root}}
directory=${OCF_RESKEY_directory:-/}
environment=${OCF_RESKEY_environment:-}
envfile=${OCF_RESKEY_envfile:-}
log=${OCF_RESKEY_log:-/dev/null}
stop_signal=${OCF_RESKEY_stop_signal:-TERM}
stop_timeout=${OCF_RESKEY_stop_timeout:-$(stop_seconds)}
settle_time=${OCF_RESKEY_settle_time:-1}
url=${OCF_RESKEY_url-${default_url:-}}
codes=${OCF_RESKEY_codes:-${default_codes:-200-299}}
url_timeout=${OCF_RESKEY_url_timeout:-10}
. "$lib/process.sh"
. "$lib/unit-files.sh"
. "$lib/unit.sh"
. "$lib/url.sh"
pidfile=${OCF_RESKEY_pidfile:-$default_pidfile}

service_parameters() {
  process_parameters
  parameter stop_timeout integer '' reloadable 'Time to end by itself' \
    'After this many seconds a process that was asked to end is killed. The default is five seconds less than the timeout of stop.'
  parameter settle_time integer 1 reloadable 'Time that a start watches' \
    'Without a URL, a start is a success when the process is still there after this many seconds.'
  url_parameters "${default_url:-}" "${default_codes:-200-299}"
}

service_actions() {
  metadata_end 'name="start" timeout="60s"' 'name="stop" timeout="60s"' \
    'name="monitor" depth="0" timeout="20s" interval="10s"' "$@" 'name="reload-agent" timeout="20s"'
}

validate_service() {
  if [ -z "$unit" ]; then
    validate_process || return $?
    number stop_timeout "$stop_timeout" || return $?
    number settle_time "$settle_time" || return $?
    installed setpriv || return $?
  else
    installed systemctl || return $?
    if [ -z "$(first_unit "$unit")" ]; then
      reason "there is no unit $unit.service"
      return $OCF_ERR_INSTALLED
    fi
  fi
  validate_url
}

service_alive() {
  if [ -n "$unit" ]; then unit_alive; else process_alive; fi
}

monitor_service() {
  if ! service_alive; then
    [ -z "$unit" ] || [ "$unit_active" != failed ] || reason "$unit.service has failed"
    return $OCF_NOT_RUNNING
  fi
  url_answers && return $OCF_SUCCESS
  reason "$(node_url): $answer"
  return $OCF_ERR_GENERIC
}

# A start ends when the service answers: what is started after it may rely on it. The cluster's time-out bounds the wait.
start_service() {
  if ! service_alive; then
    if [ -z "$unit" ]; then
      start_process
    elif ! start_unit; then
      reason "$unit.service did not start: see journalctl -u $unit"
      return $OCF_ERR_GENERIC
    fi
  fi
  if [ -z "$url$unit" ]; then sleep "$settle_time"; fi
  while service_alive; do
    url_answers && return $OCF_SUCCESS
    sleep 0.2
  done
  if [ -n "$unit" ]; then reason "$unit.service did not stay active"; else reason "it ended at once$(last_words)"; fi
  return $OCF_ERR_GENERIC
}

stop_service() {
  if [ -n "$unit" ]; then stop_unit; else stop_process; fi
}

# Every parameter that may be reloaded is read anew by each action.
agent_reload() {
  service_alive && return $OCF_SUCCESS
  return $OCF_NOT_RUNNING
}
