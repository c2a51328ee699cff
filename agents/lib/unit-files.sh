# shellcheck shell=sh
# Which systemd units this node has, without asking systemd.

# The first of some units that this node has.
first_unit() {
  for candidate in "$@"; do
    for folder in /etc/systemd/system /run/systemd/system /usr/local/lib/systemd/system /lib/systemd/system /usr/lib/systemd/system; do
      if [ -e "$folder/$candidate.service" ]; then
        echo "$candidate"
        return
      fi
    done
  done
}
