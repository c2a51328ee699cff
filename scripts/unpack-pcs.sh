#!/usr/bin/env bash
# Unpacks pcs 0.12 and Pacemaker 3 of Debian 13 into a folder, beside this Debian's own, and this Debian's pcs 0.11 into FOLDER-0.11, for
# `npm run fuzz:pcs`. Nothing of it is installed: Pacemaker's programs run with their own libraries (tools/), pcs with this machine's Python.
# Takes a minute and 300 MB; done once.
#   unpack-pcs.sh FOLDER
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -e "$root-0.11/usr/lib/python3/dist-packages/pcs/app.py" ]; then
  mkdir -p "$work/own" "$root-0.11"
  if ! { apt-get update && cd "$work/own" && apt-get download -o APT::Sandbox::User=root pcs; } >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    echo "This Debian's pcs could not be fetched: see above." >&2
    exit 1
  fi
  dpkg-deb -x "$work"/own/pcs_*.deb "$root-0.11"
  cd - >/dev/null
fi
[ -e "$root/tools/crm_resource" ] && exit 0

# An apt of its own: of Debian 13, and as if nothing were installed.
mkdir -p "$work"/{state/lists,cache/archives/partial,etc}
touch "$work/state/status"
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main' >"$work/etc/sources.list"
cat >"$work/apt.conf" <<CONF
Dir::Etc "$work/etc";
Dir::Etc::sourceparts "-";
Dir::State "$work/state";
Dir::State::status "$work/state/status";
Dir::Cache "$work/cache";
Acquire::Languages "none";
APT::Sandbox::User "root";
CONF
export APT_CONFIG="$work/apt.conf"
if ! { apt-get update && apt-get install -y --download-only --no-install-recommends pacemaker-cli-utils &&
  cd "$work/cache/archives" && apt-get download pcs; } >"$work/log" 2>&1; then
  tail -n 20 "$work/log" >&2
  echo 'pcs 0.12 could not be fetched from Debian 13: see above.' >&2
  exit 1
fi

# The packages of libraries, Pacemaker's and pcs; the rest of the system that they come with is not run.
mkdir -p "$root"
for package in "$work"/cache/archives/{lib,pacemaker,pcs}*.deb; do dpkg-deb -x "$package" "$root"; done
mkdir "$root/unfinished"
for program in "$root"/usr/sbin/{crm*,cibadmin,attrd_updater,stonith_admin,iso8601}; do
  # Some are scripts, which call the others.
  if head -c 2 "$program" | grep -q '#!'; then
    cp "$program" "$root/unfinished/"
    continue
  fi
  cat >"$root/unfinished/${program##*/}" <<WRAPPER
#!/bin/sh
export PCMK_schema_directory='$root/usr/share/pacemaker'
exec '$root/usr/lib64/ld-linux-x86-64.so.2' --library-path '$root/usr/lib/x86_64-linux-gnu' '$program' "\$@"
WRAPPER
  chmod +x "$root/unfinished/${program##*/}"
done
mv "$root/unfinished" "$root/tools"
