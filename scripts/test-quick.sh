#!/usr/bin/env bash
# `npm run test:quick`: for whoever changes a rule. The quick tests of `npm test` without those that draw thousands of clusters, type every command
# there is, or wait for processes; files share their modules, which halves the time. `npm test` runs all, each file by itself.
# More words go to vitest: `npm run test:quick -- test/scheduler`.
set -uo pipefail
cd "$(dirname "$0")/.."
slow=(
  test/simulation test/fuzz test/cli/every-command test/resource-agents test/channel test/remote test/rpc
  test/cli/secrets.test.ts test/cli/option-effects.test.ts test/cli/daemon-option-effects.test.ts test/cli/bad-input.test.ts
  test/tools/option-effects.test.ts test/tools/report.test.ts test/daemon test/store
)
excluded=()
for one in "${slow[@]}"; do
  [[ $one == *.ts ]] || one="$one/**"
  excluded+=(--exclude "$one")
done
exec npx vitest run --project quick --no-isolate "${excluded[@]}" "$@"
