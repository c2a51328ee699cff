#!/bin/bash
# A real systemd in a box: box.sh FOLDER. PID, mount, cgroup, UTS and IPC namespaces of its own; the root and /proc/sys cannot be
# written, and every place where systemd writes is a tmpfs. It runs until its first process is killed; FOLDER/units/* are its units.
# Never run systemd on a host without all of this: its systemd-tmpfiles alone would empty the host's /tmp.
set -euo pipefail
folder=$1
box=systole-box-$$

# A cgroup of its own in the hierarchy by which systemd keeps its processes, so that several boxes can run.
unshare --mount --propagation private bash -c '
  set -euo pipefail
  folder=$1 box=$2
  mkdir -p "$folder/cgroup"
  mount -t cgroup -o none,name=systemd systemd "$folder/cgroup"
  mkdir "$folder/cgroup/$box"
  echo $$ >"$folder/cgroup/$box/cgroup.procs"
  unshare --fork --kill-child=SIGKILL --pid --mount --cgroup --uts --ipc --propagation private bash "$3" "$folder" || true
  echo $$ >"$folder/cgroup/cgroup.procs"
  find "$folder/cgroup/$box" -depth -type d -exec rmdir {} +
' box "$folder" "$box" "$(dirname "$0")/inside.sh"
