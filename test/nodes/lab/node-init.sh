#!/bin/bash
# PID 1 of one lab node, inside fresh network, mount, host-name, IPC and PID namespaces.
# Arguments: the lab's folder, the node's name, its cluster address, its out-of-band address, the programs' folder.
# Killing this process is a power cut: the kernel ends the whole PID namespace at once.
lab=$1 node=$2 address=$3 oob=$4 programs=$5
mount --make-rprivate /
hostname "$node"
disk=$lab/nodes/$node
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/resource-agents /run/systole
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mkdir -p /etc/systole /var/lib/systole
mount --bind "$disk/etc" /etc/systole
mount --bind "$disk/var" /var/lib/systole
mount --bind "$lab/hosts" /etc/hosts
# A disk that is new begins with what the packages have put into that folder.
while read -r folder; do
  if [ ! -d "$disk/disks$folder" ]; then mkdir -p "$(dirname "$disk/disks$folder")" && cp -a "$folder" "$disk/disks$folder"; fi
  mount --bind "$disk/disks$folder" "$folder"
done <"$lab/disks"
# What a lab wants visible in all of its nodes, such as the log in which bench agents stamp their actions.
[ -d "$lab/shared" ] && mkdir -p /run/bench && mount --bind "$lab/shared" /run/bench
# Containers of this node make no control groups: the hierarchies are those of the whole machine.
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
ip -batch - <<B
link set lo up
addr flush dev eth0
addr add $address/24 dev eth0
link set eth0 up
addr flush dev oob0
addr add $oob/24 dev oob0
link set oob0 up
B
export PATH=$programs:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LAB_NODE=$node
# What systemd's Restart=always does for the daemon. A node whose daemon is held stays without one.
(
  while :; do
    remote=; [ -e "$disk/remote" ] && remote=--remote
    if [ ! -e "$disk/hold" ]; then systoled $remote >>"$disk/systoled.log" 2>&1 & echo $! >/run/systoled.pid; wait $!; fi
    sleep 0.05
  done
) &
while :; do sleep 3600 & wait $!; done
