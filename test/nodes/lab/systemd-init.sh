#!/bin/bash
# PID 1 of a lab node that runs a systemd of its own, where `node-init.sh` runs only the daemon. Arguments: see `machine.sh`.
# The host's root cannot be written; /etc and each folder of the lab's `disks` are the node's own and stay; everything else that can
# be written is memory. Never boot systemd without these walls.
set -euo pipefail
# shellcheck source=machine.sh
. "$(dirname "$0")/machine.sh"
host_units=$(<"$(dirname "$0")/../../executor/systemd-box/units-of-a-host")
project=$(realpath "$lab/systole/node_modules")

# A cgroup of its own in the hierarchy by which systemd keeps its processes; what the last boot left is empty.
mount -t tmpfs tmpfs /sys/fs/cgroup
mkdir /sys/fs/cgroup/systemd
mount -t cgroup -o none,name=systemd systemd /sys/fs/cgroup/systemd
group=/sys/fs/cgroup/systemd/$(basename "$lab")-$node
if [ -d "$group" ]; then find "$group" -depth -type d -exec rmdir {} +; fi
mkdir "$group"
echo $$ >"$group/cgroup.procs"

# Another Debian than this machine's, where the lab names the folder of one.
debian=
if [ -e "$lab/debian" ]; then debian=$(<"$lab/debian"); fi
# A lab of packages has a /usr of its own, before the folder of the other Debian may be hidden.
if [ -e "$lab/packages-only" ]; then
  mkdir -p "$disk/usr/upper" "$disk/usr/work"
  mount -t overlay -o "lowerdir=$debian/usr,upperdir=$disk/usr/upper,workdir=$disk/usr/work" overlay /usr
fi

mapfile -t own_folders <"$lab/disks"
fill_new_disks /etc "${own_folders[@]}"
mkdir -p "$disk/disks/etc/systole"
mount --bind "$disk/disks/etc" /etc
echo "$node" >/etc/hostname
mount --bind "$disk/etc" /etc/systole
mount --bind "$lab/hosts" /etc/hosts

# The lab and the project stay where they are, though they may lie below a folder that is hidden.
kept=$(mktemp -d /dev/shm/systole-node-XXXXXX)
mkdir "$kept/lab" "$kept/project"
mount --bind "$lab" "$kept/lab"
mount --bind -o ro "$project" "$kept/project"
for place in /var /tmp /root /home /srv /mnt /opt; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
chmod 1777 /tmp
mkdir -p /var/lib/systole /var/log /var/cache /var/tmp "$lab"
chmod 1777 /var/tmp
ln -s /run /var/run
ln -s /run/lock /var/lock
mount --bind "$kept/lab" "$lab"
[ -d "$project" ] || mkdir -p "$project"
mount --bind "$kept/project" "$project"
umount "$kept/lab" "$kept/project"
rmdir "$kept/lab" "$kept/project" "$kept"
mount --bind "$disk/var" /var/lib/systole
for folder in "${own_folders[@]}"; do
  mkdir -p "$folder"
  mount --bind "$disk/disks$folder" "$folder"
done

# Devices of its own: the journal's socket is one of them.
mount -t tmpfs -o mode=755 tmpfs /dev
while read -r name major minor; do mknod -m 666 "/dev/$name" c "$major" "$minor"; done <<D
null 1 3
zero 1 5
full 1 7
random 1 8
urandom 1 9
tty 5 0
D
mkdir /dev/pts /dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts
ln -s pts/ptmx /dev/ptmx
ln -s /proc/self/fd /dev/fd
mount -t tmpfs -o mode=1777 tmpfs /dev/shm

connect_cables
# What this lab's nodes have besides, such as another network card or a kernel parameter.
if [ -e "$lab/boot.sh" ]; then bash "$lab/boot.sh" "$node" "$address"; fi

mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/resource-agents /run/systole /run/systemd/system /run/dbus
for unit in $host_units; do ln -sf /dev/null "/run/systemd/system/$unit"; done
# The node's own start: the packages' services are the cluster's, so that nothing else is begun.
unit=systoled.service
if [ -e "$disk/remote" ]; then unit=systoled-remote.service; fi
cat >/run/systemd/system/lab-node.target <<U
[Unit]
Requires=dbus.socket dbus.service
$([ -e "$disk/hold" ] || echo "Wants=$unit")
After=dbus.service
AllowIsolate=yes
U
mkdir -p "/run/systemd/system/$unit.d"
# A lab of packages has only what they install.
[ -e "$lab/packages-only" ] || sed "s|^ExecStart=/opt|ExecStart=$lab|" "$lab/systole/packaging/$unit" >"/run/systemd/system/$unit"
cat >"/run/systemd/system/$unit.d/lab.conf" <<U
[Service]
$([ -e "$lab/packages-only" ] || echo "Environment=PATH=$programs:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C LAB_NODE=$node SYSTOLE_LOG=${SYSTOLE_LOG:-info}")
StandardOutput=append:$disk/systoled.log
StandardError=inherit
U

mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
take_new_boot_id
mount -o remount,bind,ro /
# What would be lost if one of these were the host's own.
for place in / /usr /proc/sys; do
  # That of a lab of packages is the node's own.
  if [ -e "$lab/packages-only" ] && [ "$place" = /usr ] && [ "$(stat -f -c %T /usr)" = overlayfs ]; then continue; fi
  if touch "$place/systole-node-probe" 2>/dev/null; then
    rm -f "$place/systole-node-probe"
    echo "the node's walls do not hold: $place can be written" >&2
    exit 1
  fi
done
for place in /run /tmp /var /root /home /srv /mnt /opt /dev /dev/shm; do
  [ "$(stat -f -c %T "$place")" = tmpfs ] || { echo "the node's walls do not hold: $place is the host's" >&2; exit 1; }
done
cd /
# The cgroup becomes the root of what this node sees of them. The last word is for the systemd of Debian 13, which wants to be asked for this kind of cgroups.
exec unshare --cgroup bash -c '
  umount /sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd systemd /sys/fs/cgroup/systemd &&
  exec env -i container=docker PATH=/usr/sbin:/usr/bin:/sbin:/bin LAB_NODE="$1" /lib/systemd/systemd --system --unit=lab-node.target \
    SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1' \
  init "$node" </dev/null
