/** No option of Pacemaker's own commands is forgotten: each is taken, and the guide tells of each how it was compared. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { optionsOf } from '../../src/tools/help.ts'
import { allTools } from '../../src/tools/index.ts'
import { comparison, guideTitle } from '../fuzz/tool-calls/guide.ts'
import type { Outcome } from '../fuzz/tool-calls/outcome.ts'

/** Debian's, and those of Pacemaker 3.0 where `scripts/install.sh pcs` has unpacked them. */
const folders = ['/usr/sbin', '/var/cache/systole/pcs/tools']

/** A list of what begins with a word, and the parts of a help that is one here. */
const noOption = /^--(?:force-|help(?:-\w+)?)$/

function optionsIn(folder: string, tool: string): readonly string[] {
  const asked = [['--help-all'], ['--help'], ['-h']].map((words) =>
    spawnSync(join(folder, tool), words, { encoding: 'utf8', timeout: 20_000 }),
  )
  return asked
    .flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n'))
    .filter((line) => /^\s*-/.test(line))
    .flatMap(
      (line) =>
        line
          .trim()
          .split(/\s{2,}|\t/)[0]
          ?.match(/(?<![\w-])--?[\w?$!-]+/g) ?? [],
    )
}

for (const folder of folders)
  test.runIf(existsSync(join(folder, 'crm_mon')))(
    `every option of the programs in ${folder} is one here`,
    { timeout: 120_000 },
    () => {
      let count = 0
      const missing = allTools
        .filter(({ name }) => existsSync(join(folder, name)))
        .flatMap((tool) => {
          const known = new Set(
            optionsOf(tool).flatMap(({ names }) => names.map((one) => `${one.length === 1 ? '-' : '--'}${one}`)),
          )
          const theirs = new Set(optionsIn(folder, tool.name))
          count += theirs.size
          return [...theirs].filter((one) => !known.has(one) && !noOption.test(one)).map((one) => `${tool.name} ${one}`)
        })
      expect(missing).toEqual([])
      expect(count).toBeGreaterThan(500)
    },
  )

test('the guide has the tables of what was compared (npm run tools-coverage writes them)', () => {
  const project = join(import.meta.dirname, '../..')
  const guide = readFileSync(join(project, 'docs/guides/pacemaker-commands.md'), 'utf8')
  const outcome = JSON.parse(readFileSync(join(project, 'test/tools/outcome.json'), 'utf8')) as Outcome
  expect(guide.slice(guide.indexOf(guideTitle))).toBe(`${guideTitle}\n${comparison(outcome)}`)
})
