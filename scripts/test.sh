#!/usr/bin/env bash
# `npm test`: sets the machine up, then runs every suite that fits into CI (under ten minutes on two quiet cores). The last line counts all tests.
set -uo pipefail
cd "$(dirname "$0")/.."
bash scripts/install.sh test || exit 1

results=$(mktemp -d)
running=()
trap 'rm -rf "$results"' EXIT
# Each of the two below is a process group, so that everything that it has started ends with it.
trap 'for group in "${running[@]}"; do kill -TERM -- "-$group" 2>/dev/null; done; exit 130' INT TERM

suite() { # NAME PROJECT [FILE...]
  local name=$1 project=$2
  shift 2
  npx vitest run --project "$project" --reporter=default --reporter=json --outputFile.json="$results/$name.json" "$@"
}

project_of() { [ "$1" = machine ] && echo machine || echo quick; }

# Most tests share their modules with others: to load a daemon again for each file took longer than its tests.
part() { # NAME
  local name=$1 more=()
  [ "$name" = apart ] || more=(--no-isolate)
  QUICK_PART=$name suite "$name" "$(project_of "$name")" "${more[@]}" || touch "$results/$name.failed"
}

quick_parts() {
  renice -n 2 "$BASHPID" >/dev/null
  part apart
  part shared
  node scripts/run.mjs scripts/conformance.ts --check --summary "$results/conformance.json"
}

# Suites that start nodes wait for states, and leave some of two cores idle; quick tests compute. So both run at once, and the quick ones
# give way a little: clusters have heartbeats to send, but on a machine that others use, too, much lower would be never. What the quick ones print is shown when they have ended.
set -m
quick_parts >"$results/quick.log" 2>&1 </dev/null &
running=($!)
part machine </dev/null &
running+=($!)
set +m
wait "${running[@]}"
running=()
cat "$results/quick.log"

# Real nodes on a machine that others use as well: a file that failed is run once more, from its beginning, by itself.
for name in shared apart machine; do
  [ -e "$results/$name.failed" ] || continue
  mapfile -t failed < <(node scripts/failed-files.mjs "$results/$name.json")
  [ ${#failed[@]} -gt 0 ] && suite "$name-again" "$(project_of "$name")" "${failed[@]}"
done
node scripts/count-results.mjs "$results"
