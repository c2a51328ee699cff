#!/usr/bin/env bash
# `npm start`: makes the machine ready, then runs the demonstration in the foreground until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/install.sh
exec node dist/demo.mjs
