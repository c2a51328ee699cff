# shellcheck shell=sh
# Asks a service by HTTP: what answers serves, what hangs does not, whatever its process says.
#
# Reads: url codes url_timeout. Sets: answer, the code or what curl said.

# url_parameters DEFAULT-URL DEFAULT-CODES
url_parameters() {
  parameter url string "$1" reloadable 'URL of the health check' \
    'The URL that start waits for and every monitor asks. %n in it becomes the name of the node. Certificates are not checked. Empty: only the process is looked at.'
  parameter codes string "$2" reloadable 'HTTP codes of a healthy service' \
    'The HTTP codes that mean that the service is well: codes and ranges such as 200-299, with spaces between them.'
  parameter url_timeout integer 10 reloadable 'Time for an answer' \
    'After this many seconds without an answer the service counts as hanging.'
}

validate_url() {
  [ -n "$url" ] || return $OCF_SUCCESS
  case $url in
    http://* | https://*) ;;
    *) reason "url '$url' begins with neither http:// nor https://"; return $OCF_ERR_CONFIGURED ;;
  esac
  for range in $codes; do
    if ! is_number "${range%%-*}" || ! is_number "${range##*-}"; then
      reason "codes '$codes' are not HTTP codes, such as 200 or 200-299"
      return $OCF_ERR_CONFIGURED
    fi
  done
  number url_timeout "$url_timeout" || return $?
  installed curl
}

# node_url: the URL with the name of this node in it.
node_url() {
  case $url in
    *%n*) printf '%s%s%s\n' "${url%%%n*}" "${OCF_RESKEY_CRM_meta_on_node:-$(uname -n)}" "${url#*%n}" ;;
    *) printf '%s\n' "$url" ;;
  esac
}

url_answers() {
  [ -n "$url" ] || return 0
  answer=$(curl --silent --show-error --insecure --noproxy '*' --output /dev/null --max-time "$url_timeout" \
    --write-out '%{http_code}' "$(node_url)" 2>&1) || {
    answer=${answer%000}
    return 1
  }
  for range in $codes; do
    [ "$answer" -ge "${range%%-*}" ] && [ "$answer" -le "${range##*-}" ] && return 0
  done
  answer="the answer is $answer, not $codes"
  return 1
}
