/**
 * Writes the last part of docs/guides/pacemaker-commands.md: for each command and option of Pacemaker's tools, how many lines were compared
 * with Pacemaker's own and how they ended. `npm run fuzz:tools -- --file LINES … --record test/tools/outcome.json` counts them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { comparison, guideTitle } from '../test/fuzz/tool-calls/guide.ts'
import type { Outcome } from '../test/fuzz/tool-calls/outcome.ts'

const guide = resolve(import.meta.dirname, '../docs/guides/pacemaker-commands.md')
const outcome = JSON.parse(readFileSync(resolve(import.meta.dirname, '../test/tools/outcome.json'), 'utf8')) as Outcome
const written = readFileSync(guide, 'utf8')
writeFileSync(guide, `${written.slice(0, written.indexOf(guideTitle))}${guideTitle}\n${comparison(outcome)}`)
