# shellcheck shell=sh
# A systemd unit, for agents that look further than systemd does. While the cluster runs it, systemd must not restart it by itself, and
# at shutdown the cluster's daemon stops before it: the same drop-in as for resources of the class `systemd`.
#
# Reads: unit. Sets: unit_active unit_sub.

drop_in=/run/systemd/system/$unit.service.d/50-systole.conf

# Where it is on its way, it is waited for: the time-out of the operation bounds it.
unit_state() {
  while :; do
    unit_active='' unit_sub=''
    while IFS='=' read -r property value; do
      case $property in
        ActiveState) unit_active=$value ;;
        SubState) unit_sub=$value ;;
      esac
    done <<END
$(systemctl show --property=ActiveState,SubState "$unit.service")
END
    case $unit_active in
      activating | deactivating | maintenance) sleep 0.2 ;;
      *) return ;;
    esac
  done
}

unit_alive() {
  unit_state
  case $unit_active in active | reloading | refreshing) return 0 ;; *) return 1 ;; esac
}

start_unit() {
  if [ ! -e "$drop_in" ]; then
    mkdir -p "${drop_in%/*}"
    printf '# Written by Systole, which runs this unit.\n[Unit]\nDescription=Cluster controlled %s.service\nBefore=systoled.service\n\n[Service]\nRestart=no\n' \
      "$unit" >"$drop_in"
    systemctl daemon-reload
  fi
  systemctl reset-failed "$unit.service" 2>/dev/null
  systemctl start "$unit.service"
}

stop_unit() {
  systemctl stop "$unit.service" || true
  if [ -e "$drop_in" ]; then
    rm -f "$drop_in"
    systemctl daemon-reload
  fi
  unit_alive || return $OCF_SUCCESS
  reason "$unit.service did not stop: it is $unit_active ($unit_sub)"
  return $OCF_ERR_GENERIC
}
