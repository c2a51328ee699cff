#!/bin/bash
# Docker's daemon on a lab node, running before the cluster's is, as its unit sees to it on a real one. Its containers have control groups,
# below one of the node's own. Arguments: the node's name, its address, the lab's folder.
set -euo pipefail
node=$1 lab=$3
mount -t cgroup2 cgroup2 /sys/fs/cgroup
group=$(basename "$lab")-$node
mkdir -p "/sys/fs/cgroup/$group"
mkdir -p /run/docker
cat >/run/docker/daemon.json <<C
{
  "bridge": "none", "iptables": false, "ip6tables": false, "storage-driver": "vfs", "cgroup-parent": "/$group",
  "pidfile": "/run/docker/pid", "exec-root": "/run/docker/exec", "hosts": ["unix:///run/docker.sock"]
}
C
dockerd --config-file /run/docker/daemon.json >>"$lab/nodes/$node/dockerd.log" 2>&1 &
until docker version >/dev/null 2>&1; do sleep 0.2; done
