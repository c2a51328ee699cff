#!/bin/bash
# PID 1 of a lab node that runs the daemon and nothing else. Arguments: see `machine.sh`.
# shellcheck source=machine.sh
. "$(dirname "$0")/machine.sh"
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/resource-agents /run/systole
take_new_boot_id
# A message that asks for a crash must not crash the kernel that all share.
mount --bind /dev/null /proc/sysrq-trigger
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mkdir -p /etc/systole /var/lib/systole
mount --bind "$disk/etc" /etc/systole
mount --bind "$disk/var" /var/lib/systole
mount --bind "$lab/hosts" /etc/hosts
while read -r folder; do
  fill_new_disks "$folder"
  mount --bind "$disk/disks$folder" "$folder"
done <"$lab/disks"
# What a lab wants visible in all of its nodes, such as the log in which bench agents stamp their actions.
[ -d "$lab/shared" ] && mkdir -p /run/bench && mount --bind "$lab/shared" /run/bench
# Podman's containers make no control groups here: the hierarchies are those of the whole machine.
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
connect_cables
export PATH=$programs:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LAB_NODE=$node
# What this lab's nodes have besides.
if [ -e "$lab/boot.sh" ]; then bash "$lab/boot.sh" "$node" "$address" "$lab"; fi
# What systemd's Restart=always does for the daemon. A node whose daemon is held stays without one.
(
  while :; do
    remote=; [ -e "$disk/remote" ] && remote=--remote
    if [ ! -e "$disk/hold" ]; then systoled $remote >>"$disk/systoled.log" 2>&1 & echo $! >/run/systoled.pid; wait $!; fi
    sleep 0.05
  done
) &
while :; do sleep 3600 & wait $!; done
