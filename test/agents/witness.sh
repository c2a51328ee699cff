#!/bin/sh
# ocf:lab:witness - writes down each call with its environment, and answers what a file says: /run/witness/RESOURCE.ACTION holds the
# exit code. Without one it answers truthfully. The first node gets the highest promotion score.
folder=/run/witness
name=${OCF_RESOURCE_INSTANCE%%:*}
state=$folder/$name.state

if [ "$1" = meta-data ]; then
  cat <<'END'
<?xml version="1.0"?>
<resource-agent name="witness" version="1.0">
  <version>1.1</version>
  <longdesc lang="en">Writes down each call with its environment.</longdesc>
  <shortdesc lang="en">Writes down each call</shortdesc>
  <parameters>
    <parameter name="colour" reloadable="1"><shortdesc lang="en">May be reloaded</shortdesc><content type="string" default="none"/></parameter>
    <parameter name="size"><shortdesc lang="en">Needs a restart</shortdesc><content type="integer" default="1"/></parameter>
  </parameters>
  <actions>
    <action name="start" timeout="20s"/>
    <action name="stop" timeout="20s"/>
    <action name="monitor" timeout="20s" interval="10s"/>
    <action name="promote" timeout="20s"/>
    <action name="demote" timeout="20s"/>
    <action name="notify" timeout="20s"/>
    <action name="migrate_to" timeout="20s"/>
    <action name="migrate_from" timeout="20s"/>
    <action name="reload-agent" timeout="20s"/>
    <action name="meta-data" timeout="5s"/>
  </actions>
</resource-agent>
END
  exit 0
fi

mkdir -p "$folder"
{ WITNESS_ACTION=$1 env -0; printf '\036'; } >>"$folder/$name.calls"

wanted() {
  [ -e "$folder/$name.$1" ] || return 1
  read -r code <"$folder/$name.$1"
  echo "ocf-exit-reason:$1 answers $code" >&2
}

case $1 in
  start | migrate_from)
    if wanted "$1"; then exit "$code"; fi
    rm -f "$folder/$name.monitor"
    echo unpromoted >"$state"
    [ "${OCF_RESKEY_CRM_meta_promoted_max:-0}" -ge 1 ] && crm_attribute --promotion -v "$((200 - ${OCF_RESKEY_CRM_meta_on_node#n}))"
    exit 0
    ;;
  stop) rm -f "$state" ;;
  promote) echo promoted >"$state" ;;
  demote) echo unpromoted >"$state" ;;
  monitor)
    [ -e "$state" ] || exit 7
    if wanted monitor; then exit "$code"; fi
    read -r role <"$state"
    [ "$role" != promoted ] || exit 8
    ;;
esac
exit 0
