#!/bin/bash
# The first process of the box: makes it, looks whether it holds, and becomes systemd. See box.sh.
set -euo pipefail
folder=$1
# Read now: the checkout may be below a folder that is hidden.
host_units=$(<"$(dirname "$0")/units-of-a-host")
hostname systole-box
units=$(mktemp -d /dev/shm/systole-box-XXXXXX)
cp -a "$folder/units/." "$units"
umount "$folder/cgroup"

mount -t proc proc /proc
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mkdir /dev/shm/carried && mv "$units" /dev/shm/carried/units
for place in /run /tmp /var /root /home /srv /mnt /opt; do
  mount -t tmpfs tmpfs "$place"
done
mkdir -p /run/systemd/system /var/lib /var/log /run/dbus
mv /dev/shm/carried/units/* /run/systemd/system/
rm -r /dev/shm/carried
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd systemd /sys/fs/cgroup/systemd
# A box without a journal: it would keep one on the host.
for unit in $host_units systemd-journald.service systemd-journald.socket systemd-journald-dev-log.socket \
  systemd-journald-audit.socket; do
  ln -sf /dev/null "/run/systemd/system/$unit"
done
printf '[Unit]\nRequires=dbus.socket dbus.service\nAfter=dbus.service\nAllowIsolate=yes\n' >/run/systemd/system/systole-box.target
mount -o remount,bind,ro /

# What would be lost if one of these were the host's own.
for place in / /proc/sys; do
  if touch "$place/systole-box-probe" 2>/dev/null; then
    echo "the box does not hold: $place can be written" >&2
    exit 1
  fi
done
for place in /run /tmp /var /root /home /srv /mnt /opt /dev/shm; do
  [ "$(stat -f -c %T "$place")" = tmpfs ] || { echo "the box does not hold: $place is the host's" >&2; exit 1; }
done
cd /
exec env -i container=docker PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=systole-box.target </dev/null
