#!/bin/bash
# What the deployment expects of a controller before its services: a card named eth1 in the network of the VIPs, which goes down
# with eth0, and the kernel parameters of its load balancer. Arguments: the node's name and its address in the cluster's network.
set -euo pipefail
node=$1 address=$2
ip link del eth1 2>/dev/null || true
ip link add link eth0 name eth1 type macvlan mode bridge
ip addr add "192.168.124.1${address##*.}/24" dev eth1
ip link set eth1 up
# haproxy binds addresses that another node holds; both ends of a queue's connection notice soon that the other is gone.
for parameter in ip_nonlocal_bind=1 tcp_keepalive_intvl=1 tcp_keepalive_probes=5 tcp_keepalive_time=5; do
  echo "${parameter#*=}" >"/proc/sys/net/ipv4/${parameter%=*}"
done
