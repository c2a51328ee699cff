#!/usr/bin/env bash
# `npm test`: sets the machine up, then runs every suite that fits into CI (nine minutes on two quiet cores). The last line counts all tests.
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

# Tests of rules share their modules (see test-quick.sh), those that start processes do not. Suites that start nodes run last, several files at a
# time. Real nodes on a machine that others use as well: a file that failed is run once more, from its beginning, by itself.
for name in rules quick machine; do
  project=$name only=0 more=()
  [ "$name" = rules ] && project=quick only=1 more=(--no-isolate)
  ONLY_RULES=$only suite "$name" "$project" "${more[@]}" && continue
  mapfile -t failed < <(node scripts/failed-files.mjs "$results/$name.json")
  [ ${#failed[@]} -gt 0 ] && suite "$name-again" "$project" "${failed[@]}"
done
npm run -s conformance -- --check --summary "$results/conformance.json"
node scripts/count-results.mjs "$results"
