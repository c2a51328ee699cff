# What every node of the lab has, whatever runs on it: sourced by its PID 1 (`node-init.sh`, `systemd-init.sh`), inside fresh network,
# mount, host-name, IPC and PID namespaces. Killing that process is a power cut: the kernel ends the whole PID namespace at once.
# Arguments: the lab's folder, the node's name, its cluster address, its out-of-band address, the programs' folder.
lab=$1 node=$2 address=$3 oob=$4 programs=$5
disk=$lab/nodes/$node
mount --make-rprivate /
hostname "$node"

# A disk that is new begins with what the packages have put into that folder; of another Debian, where `debian` names one.
fill_new_disks() {
  local folder
  for folder; do
    [ -d "$disk/disks$folder" ] || { mkdir -p "$(dirname "$disk/disks$folder")" && cp -a "${debian:-}$folder" "$disk/disks$folder"; }
  done
}

connect_cables() {
  ip -batch - <<B
link set lo up
addr flush dev eth0
addr add $address/24 dev eth0
link set eth0 up
addr flush dev oob0
addr add $oob/24 dev oob0
link set oob0 up
B
}

# A machine that boots has another boot id; the nodes share a kernel, and that has only one.
take_new_boot_id() {
  cat /proc/sys/kernel/random/uuid >/run/boot-id
  mount --bind /run/boot-id /proc/sys/kernel/random/boot_id
}
