#!/usr/bin/env bash
# Makes a fresh Debian 12 with Node.js 20 and npm ready: Debian packages, npm packages, build. Run as root.
# What is there already is left alone, so that a second run takes a moment.
#   install.sh        what running Systole needs
#   install.sh test   and what its tests need
#   install.sh bench  and Pacemaker with Corosync, which `npm run bench` measures beside it
#   install.sh faults and what `npm run e2e:faults` makes disks slow and clocks wrong with
#   install.sh remote and the containers of `npm run e2e:remote`
#   install.sh rollout and the services that `npm run e2e:rollout` keeps up meanwhile
#   install.sh services and the resolvers that `npm run e2e:services` asks
#   install.sh facts  and the programs that `npm run e2e:facts` asks machines with
#   install.sh console and the browser of `npm run e2e:console`
#   install.sh packages and the tools that `npm run e2e:packages` checks packages with, and a Debian 13 for its machines
#   install.sh agents and the services that `npm run e2e:agents` runs under their agents
#   install.sh clients and the programs of others that `npm run e2e:clients` runs on nodes
#   install.sh pcs    and the pcs of this Debian and of the next, unpacked beside it, which `npm run fuzz:pcs` is held against
#   install.sh openstack  and the control plane of `npm run e2e:openstack`
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(nftables etcd-server etcd-client resource-agents pacemaker-resource-agents fence-agents ipmitool
  iproute2 iputils-arping libxml2-utils procps psmisc netcat-openbsd openssl curl)
case "${1:-}" in
  test | console | facts | bench | faults | packages | remote | rollout | services | agents | openstack | pcs | clients) packages+=(openipmi nginx-light nftables kmod iputils-ping haproxy pacemaker-cli-utils python3 systemd dbus) ;;
esac
[ "${1:-}" = test ] && packages+=(gcc libc6-dev sbd prometheus binutils man-db mandoc booth snmptrapd keepalived rsyslog logrotate jq)
[ "${1:-}" = bench ] && packages+=(pacemaker corosync)
[ "${1:-}" = packages ] && packages+=(binutils lintian gnupg man-db debootstrap)
[ "${1:-}" = faults ] && packages+=(strace faketime)
[ "${1:-}" = remote ] && packages+=(podman docker.io crun containernetworking-plugins iptables)
[ "${1:-}" = rollout ] && packages+=(mariadb-server galera-4 rsync rabbitmq-server python3-pika python3-pymysql ansible-core facter)
[ "${1:-}" = services ] && packages+=(bind9-dnsutils musl-tools curl python3-consul dnsmasq-base victoria-metrics)
[ "${1:-}" = facts ] && packages+=(smartmontools)
[ "${1:-}" = console ] && packages+=(chromium firefox-esr fonts-dejavu-core tcpdump)
[ "${1:-}" = agents ] && packages+=(mariadb-server mariadb-backup galera-4 rsync rabbitmq-server python3-pika redis-server redis-tools bc
  memcached postgresql apache2 e2fsprogs
  keystone glance-api placement-api nova-api cinder-api heat-api neutron-server swift-proxy openstack-dashboard)
[ "${1:-}" = openstack ] && packages+=(mariadb-server galera-4 rsync rabbitmq-server python3-pika memcached keystone python3-pymysql
  python3-memcache)
[ "${1:-}" = clients ] && packages+=(pcs crmsh prometheus-hacluster-exporter ansible puppet-agent puppet-module-voxpupuli-corosync
  resource-agents-paf postgresql drbd-utils booth sosreport)
[ "${1:-}" = pcs ] && packages+=(python3-lxml python3-tornado python3-dacite python3-distro python3-pycurl python3-dateutil
  python3-pyparsing python3-pkg-resources)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ]; then
    echo "These Debian packages are missing: ${missing[*]}. Run this as root, or install them with: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "Installing Debian packages: ${missing[*]}"
  # A package's own service is not ours to start: no daemon may run on the host because a test needs its program.
  started=/usr/sbin/policy-rc.d
  if [ ! -e "$started" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$started"
    chmod +x "$started"
    trap 'rm -f "$started"' EXIT
  fi
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "The Debian packages could not be installed: see above." >&2
    exit 1
  fi
  rm -f "$log"
fi

[ "${1:-}" = pcs ] && bash scripts/unpack-pcs.sh /var/cache/systole/pcs
[ "${1:-}" = packages ] && bash scripts/unpack-debian-13.sh /var/cache/systole/debian-13

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo 'Installing npm packages and building'
  npm ci --no-audit --no-fund --loglevel=error
else
  npm run -s build
fi
