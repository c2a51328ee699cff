#!/usr/bin/env bash
# Unpacks a Debian 13 into a folder: the machines of `npm run e2e:packages` that are not of this machine's Debian boot it. Nothing of it is installed
# here. Takes two minutes and 650 MB; done once.
#   unpack-debian-13.sh FOLDER
set -euo pipefail
root=$1
[ -e "$root/etc/debian_version" ] && exit 0

fresh=$root.new-$$
log=$(mktemp)
trap 'rm -rf "$fresh" "$log"' EXIT
# What a host has, and what its packages would be fetched with: the machines themselves reach no mirror.
host=systemd,dbus,iproute2,procps,init-system-helpers,man-db,netcat-openbsd,nftables,psmisc,openssl,curl,iputils-ping,iputils-arping
needed=etcd-server,etcd-client,resource-agents,libxml2-utils
services=(fence-agents-ipmilan ipmitool nginx-light pacemaker-cli-utils pacemaker-resource-agents)
mkdir -p "$(dirname "$root")"
echo 'Unpacking Debian 13'
if ! {
  debootstrap --variant=minbase --include="$host,$needed" trixie "$fresh" http://deb.debian.org/debian &&
    printf '#!/bin/sh\nexit 101\n' >"$fresh/usr/sbin/policy-rc.d" && chmod +x "$fresh/usr/sbin/policy-rc.d" &&
    DEBIAN_FRONTEND=noninteractive chroot "$fresh" apt-get install -y --no-install-recommends "${services[@]}" &&
    chroot "$fresh" apt-get clean
} >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo 'Debian 13 could not be unpacked: see above.' >&2
  exit 1
fi
mv -T "$fresh" "$root"
