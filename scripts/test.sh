#!/usr/bin/env bash
# `npm test`: sets the machine up, then runs every suite that fits into CI (some ten minutes on two quiet cores). The last line counts all tests.
set -uo pipefail
cd "$(dirname "$0")/.."
bash scripts/install.sh test || exit 1

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

suite() { # NAME PROJECT [FILE...]
  local name=$1 project=$2
  shift 2
  npx vitest run --project "$project" --reporter=default --reporter=json --outputFile.json="$results/$name.json" "$@"
}

# Most quick tests share their modules: to load a daemon again for each file took longer than its tests. Suites that start nodes run last, several
# files at a time. Real nodes on a machine that others use as well: a file that failed is run once more, from its beginning, by itself.
for name in shared apart machine; do
  project=$name more=()
  [ "$name" = machine ] || project=quick
  [ "$name" = apart ] || more=(--no-isolate)
  QUICK_PART=$name suite "$name" "$project" "${more[@]}" && continue
  mapfile -t failed < <(node scripts/failed-files.mjs "$results/$name.json")
  [ ${#failed[@]} -gt 0 ] && suite "$name-again" "$project" "${failed[@]}"
done
node scripts/run.mjs scripts/conformance.ts --check --summary "$results/conformance.json"
node scripts/count-results.mjs "$results"
