#!/bin/bash
# PID 1 of a lab's virtual machine (`vm`), inside fresh namespaces. Arguments: the lab's folder, its name, its address.
lab=$1 name=$2 address=$3
mount --make-rprivate /
hostname "$name"
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/resource-agents /run/systole
mount --bind "$lab/guests/$name/etc" /etc/systole
mount --bind "$lab/guests/$name/var" /var/lib/systole
# The agent plugs the cable in.
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip -batch - <<B
link set lo up
addr add $address/32 dev eth0
link set eth0 up
route add default dev eth0
B
export PATH=$lab/programs:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LAB_NODE=$name
(
  while :; do
    if [ -e "$lab/guests/$name/etc/pki/node.crt" ] && [ ! -e "$lab/guests/$name/hold" ]; then
      systoled --remote >>"$lab/guests/$name/systoled.log" 2>&1 & echo $! >/run/systoled.pid; wait $!
    fi
    sleep 0.05
  done
) &
while :; do sleep 3600 & wait $!; done
