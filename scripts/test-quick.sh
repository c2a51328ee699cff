#!/usr/bin/env bash
# `npm run test:quick`: for whoever changes a rule. The quick tests of `npm test` without what vitest.config.ts names as not for rules; files share
# their modules, which halves the time. `npm test` runs all. More words go to vitest: `npm run test:quick -- test/scheduler`.
set -euo pipefail
cd "$(dirname "$0")/.."
QUICK_PART=rules exec npx vitest run --project quick --no-isolate "$@"
