# shellcheck shell=sh disable=SC2154
# What a worker of OpenStack, which has no API of its own, reports to its project's API: nova, cinder, neutron and heat keep for each
# worker when it was last heard of. The API's word counts only where it says that the worker is down. An API that does not answer is
# not the worker's failure.
#
# Reads: openrc api host reported_at up grace_time.

openrc=${OCF_RESKEY_openrc:-}
default_api=${reported_at%% *}
api=${OCF_RESKEY_api:-${default_api:-}}
host=${OCF_RESKEY_host:-}
grace_time=${OCF_RESKEY_grace_time:-60}
started_file=$run_folder/$instance.started

report_parameters() {
  parameter openrc string '' reloadable 'File with the credentials' \
    'For OCF_CHECK_LEVEL=10: a file that sets OS_AUTH_URL (up to /v3), OS_USERNAME, OS_PASSWORD, OS_PROJECT_NAME and, where they are not Default, OS_USER_DOMAIN_NAME and OS_PROJECT_DOMAIN_NAME, of a user who may list the services.'
  parameter api string "$default_api" reloadable 'API that is asked' \
    'For OCF_CHECK_LEVEL=10: where the API of the project is, with its version and, where it wants one, the id of the project.'
  parameter host string '' reloadable 'Name of the host in OpenStack' \
    'For OCF_CHECK_LEVEL=10: the name under which the worker reports. The default is the name of the host.'
  parameter grace_time integer 60 reloadable 'Time for the first report' \
    'For so many seconds after a start, a worker that the API calls down is believed to be well.'
}

validate_report() {
  [ -n "$openrc" ] || return $OCF_SUCCESS
  if [ ! -r "$openrc" ]; then
    reason "openrc $openrc cannot be read"
    return $OCF_ERR_INSTALLED
  fi
  number grace_time "$grace_time" || return $?
  installed curl
}

monitor_report() {
  if [ -z "$openrc" ]; then
    reason 'OCF_CHECK_LEVEL=10 needs openrc, a file with credentials'
    return $OCF_ERR_CONFIGURED
  fi
  report=$(worker_report) || { log "$api cannot be asked: $report"; return $OCF_SUCCESS; }
  case $report in
    '') log "$api knows of no $name on ${host:-$(uname -n)} yet"; return $OCF_SUCCESS ;;
    *"$up"*) return $OCF_SUCCESS ;;
  esac
  if [ -e "$started_file" ] && [ $(($(date +%s) - $(stat -c %Y "$started_file"))) -lt "$grace_time" ]; then
    return $OCF_SUCCESS
  fi
  reason "$api says that $name on ${host:-$(uname -n)} is down"
  return $OCF_ERR_GENERIC
}

# The records of this worker, without spaces; fails with what curl said. No secret stands on a command line, where everybody reads it.
worker_report() {
  # shellcheck disable=SC1090
  . "$openrc"
  token=$(token_request | ask --dump-header - --output /dev/null --header 'Content-Type: application/json' --data @- \
    "${OS_AUTH_URL%/}/auth/tokens") || { echo "$token"; return 1; }
  token=$(printf '%s' "$token" | tr -d '\r' | sed -n 's/^[Xx]-[Ss]ubject-[Tt]oken: *//p')
  records=$(printf 'header = "X-Auth-Token: %s"\n' "$token" | ask --config - "${api%/}/${reported_at#* }") || { echo "$records"; return 1; }
  printf '%s' "$records" | tr -d ' \n' | tr '}' '\n' | grep -F "\"host\":\"${host:-$(uname -n)}" || true
}

ask() {
  curl --silent --show-error --fail --insecure --noproxy '*' --max-time "$url_timeout" "$@" 2>&1
}

token_request() {
  printf '{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"%s","domain":{"name":"%s"},"password":"%s"}}},' \
    "$(json "$OS_USERNAME")" "$(json "${OS_USER_DOMAIN_NAME:-Default}")" "$(json "$OS_PASSWORD")"
  printf '"scope":{"project":{"name":"%s","domain":{"name":"%s"}}}}}' \
    "$(json "$OS_PROJECT_NAME")" "$(json "${OS_PROJECT_DOMAIN_NAME:-Default}")"
}

# A text as it stands inside of JSON's quotes.
json() {
  printf '%s' "$1" | sed 's/["\\]/\\&/g'
}
