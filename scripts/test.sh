#!/usr/bin/env bash
# `npm test`: sets the machine up, then runs every suite that fits into CI. The last line counts all tests.
set -uo pipefail
cd "$(dirname "$0")/.."
bash scripts/install.sh test || exit 1

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
status=0
# Suites that use the whole machine run after the quick ones, a file at a time.
for project in quick machine; do
  npx vitest run --project "$project" --reporter=default --reporter=json --outputFile.json="$results/$project.json" || status=1
done
npm run -s conformance -- --check --summary "$results/conformance.json" || status=1
node scripts/count-results.mjs "$results" || status=1
exit $status
