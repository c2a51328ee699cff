import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { splitText } from '../../../src/cli/grammar/words.ts'
import { runLine } from '../../../src/cli/start/run.ts'
import { scriptedTerminal } from '../../cli/scripted-terminal.ts'

/**
 * Questions to one cluster of three nodes. The answers in `as-crm-simulate` were given by crm_simulate (Pacemaker 2.1.5) and must be
 * ours; `RECORD_CRM_SIMULATE=1` asks it again, where it is installed. Those in `beyond` are what it cannot be asked, or where Systole
 * answers as its cluster would act: a failed start counts as INFINITY. `UPDATE_GOLDEN=1` rewrites them.
 */
const folder = join(import.meta.dirname, '../cases/what-if')
const cib = join(folder, 'running.xml')

const namesIn = (kind: string): readonly string[] =>
  readdirSync(join(folder, kind)).map((name) => name.replace('.txt', ''))

function questionIn(file: string): readonly string[] {
  const [first = ''] = readFileSync(file, 'utf8').split('\n')
  return splitText(first.replace('$ simulate ', ''))
}

const moment = ['--set-datetime', '2026-11-20 13:00:00Z']

async function ask(question: readonly string[]): Promise<string> {
  const progress: string[] = []
  const { standardOutput, standardError } = await runLine({
    commands: allCommands,
    line: ['simulate', '--xml-file', cib, ...moment, ...question],
    terminal: scriptedTerminal(progress),
    openCluster: () => fileAccess(cib),
  })
  return [standardOutput, standardError, ...progress.map((line) => `${line}\n`)].join('')
}

function askCrmSimulate(question: readonly string[]): string {
  const action = question.includes('--run') ? [] : ['--simulate']
  const run = spawnSync('crm_simulate', [...action, '--xml-file', cib, ...moment, ...question], {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
  })
  if (run.error) throw run.error
  return run.stdout
}

/**
 * Padding and numbers of actions differ, crm_simulate takes the wall clock for the moment of a failure, and what 3.0 tells of a fail
 * count, 2.1 does not: how much it is. What 2.1 calls complete, 3.0 calls done.
 */
function comparable(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\s+/g, ' ')
        .trim()
        .replace(/(last-failure-\S+?)=\d+/, '$1=now')
        .replace(/(last-failure|last-rc-change)='[^']*'/, "$1='now'")
        .replace(/(fail-count-\S+)=(?:value\+\+|\d+|INFINITY)/, '$1=counted')
        .replace(/'(error|Error occurred)' \(1\)/, '(1)')
        .replace(/'not running' \(7\)/i, '(7)')
        .replace("status='complete'", "status='Done'")
        .replace(/exitreason='[^']*'/, "exitreason='simulated'")
        .replace(/^Pretending action \d+/, 'Pretending action'),
    )
    .filter((line) => line !== '' && !line.startsWith('Setting effective') && !line.includes('clear_failcount'))
    .sort()
}

describe('what if, as crm_simulate answers', () => {
  for (const name of namesIn('as-crm-simulate'))
    test(name, async () => {
      const file = join(folder, 'as-crm-simulate', `${name}.txt`)
      const question = questionIn(file)
      const first = readFileSync(file, 'utf8').split('\n')[0] ?? ''
      if (process.env.RECORD_CRM_SIMULATE === '1') writeFileSync(file, `${first}\n${askCrmSimulate(question)}`)
      const expected = readFileSync(file, 'utf8').replace(/^.*\n/, '')
      expect(expected).toContain('Transition Summary')
      expect(comparable(await ask(question))).toEqual(comparable(expected))
    })
})

describe('what if, beyond crm_simulate', () => {
  for (const name of namesIn('beyond'))
    test(name, async () => {
      const file = join(folder, 'beyond', `${name}.txt`)
      const [first = ''] = readFileSync(file, 'utf8').split('\n')
      const text = `${first}\n${await ask(questionIn(file))}`
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text)
      expect(text).toBe(readFileSync(file, 'utf8'))
    })
})
