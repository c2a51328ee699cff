#!/usr/bin/env bash
# `npm test`: sets the machine up, then runs every suite that fits into CI. The last line counts all tests.
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

# Suites that start nodes run after the quick ones, two files at a time. Real nodes on a machine that others use as well: a file
# that failed is run once more, from its beginning, with nodes of its own.
for project in quick machine; do
  suite "$project" "$project" && continue
  mapfile -t failed < <(node scripts/failed-files.mjs "$results/$project.json")
  [ ${#failed[@]} -gt 0 ] && suite "$project-again" "$project" "${failed[@]}"
done
npm run -s conformance -- --check --summary "$results/conformance.json"
node scripts/count-results.mjs "$results"
