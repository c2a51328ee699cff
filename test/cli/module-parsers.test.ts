/**
 * What configuration modules ask before they change anything, by the lines and patterns of their own sources: false before a
 * thing is made, true after. A question whose answer stays false makes the module make the thing again on every run.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-modules-'))
  file = join(folder, 'cib.xml')
  copyFileSync(join(import.meta.dirname, 'cases/start.xml'), file)
})
afterEach(() => rmSync(folder, { recursive: true }))

interface Answer {
  readonly text: string
  readonly errors: string
  readonly exitCode: number
}

async function pcs(line: string, compat: string): Promise<Answer> {
  const printed = await runLine({
    commands: allCommands,
    line: splitShellLine(line),
    terminal: scriptedTerminal([]),
    openCluster: (other) => fileAccess(other ?? file),
    called: { program: 'pcs', environment: compat },
  })
  return { text: printed.standardOutput, errors: printed.standardError, exitCode: printed.exitCode }
}

/** `sed -n "/^Target: n1$/,/^Target:/…"`: the lines between this target and the next. */
function levelsOf(target: string, text: string): readonly string[] {
  const lines = text.split('\n')
  const from = lines.indexOf(`Target: ${target}`)
  if (from < 0) return []
  const end = lines.findIndex((line, index) => index > from && line.startsWith('Target:'))
  return lines.slice(from + 1, end < 0 ? lines.length : end)
}

const anyLine = (text: string, ...parts: readonly (string | RegExp)[]): boolean =>
  text
    .split('\n')
    .some((line) => parts.every((part) => (typeof part === 'string' ? line.includes(part) : part.test(line))))

/** puppet-pacemaker: the providers pcmk_constraint, pcmk_stonith_level, pcmk_property, pcmk_resource_default and pcmk_resource. */
const questions: readonly {
  readonly name: string
  readonly makes: string
  readonly asks: string
  readonly isThere: (text: string, exitCode: number) => boolean
}[] = [
  {
    name: 'a location by its id',
    makes: 'constraint location add web-on-n1 web n1 100',
    asks: 'constraint location show --full',
    isThere: (text) => anyLine(text, 'web-on-n1'),
  },
  {
    name: 'a colocation with a promoted instance',
    makes: 'constraint colocation add vip with master db-clone INFINITY',
    asks: 'constraint colocation show --full',
    isThere: (text) => anyLine(text, 'vip with db-clone', /with-rsc-role:(Master|Promoted)/),
  },
  {
    name: 'an order by its id',
    makes: 'constraint order start vip then start web kind=Optional id=order-vip-web',
    asks: 'constraint order show --full',
    isThere: (text) => anyLine(text, 'order-vip-web'),
  },
  {
    name: 'a location rule by the id that pcs gives it',
    makes: 'constraint location web rule resource-discovery=exclusive score=0 web-role eq true',
    asks: 'constraint list',
    isThere: (text) => anyLine(text, 'location-web'),
  },
  {
    name: 'a level',
    makes: 'stonith level add 1 n1 fence-n1',
    asks: 'stonith level',
    isThere: (text) => levelsOf('n1', text).some((line) => /Level\s*1\s*-\s*fence-n1/.test(line)),
  },
  {
    name: 'a cluster option',
    makes: 'property set no-quorum-policy=freeze',
    asks: 'property show',
    isThere: (text) => anyLine(text, 'no-quorum-policy', 'freeze'),
  },
  {
    name: 'an attribute of a node',
    makes: 'property set --node n1 web-role=true',
    asks: 'property show',
    isThere: (text) => anyLine(text, 'web-role', 'n1', 'true'),
  },
  {
    name: 'a default of resources',
    makes: "resource defaults resource-stickiness='100'",
    asks: 'resource defaults',
    isThere: (text) => anyLine(text, /^resource-stickiness: 100$/),
  },
  {
    name: 'a default of operations',
    makes: "resource op defaults timeout='60s'",
    asks: 'resource op defaults',
    isThere: (text) => anyLine(text, /^timeout: 60s$/),
  },
  {
    name: 'a resource',
    makes: 'resource create new ocf:heartbeat:Dummy --no-default-ops',
    asks: 'resource show new',
    isThere: (_text, exitCode) => exitCode === 0,
  },
  {
    name: 'a fence device that avoids its node',
    makes: 'constraint location fence-n1 avoids n1',
    asks: 'constraint location',
    isThere: (text) => anyLine(text, 'fence-n1'),
  },
]

describe.each(['0.9', '0.10'])('puppet-pacemaker with PCS_COMPAT=%s', (compat) => {
  test.each(questions)('finds $name once it is there', async ({ makes, asks, isThere }) => {
    const before = await pcs(asks, compat)
    expect(isThere(before.text, before.exitCode)).toBe(false)
    expect((await pcs(makes, compat)).exitCode).toBe(0)
    const after = await pcs(asks, compat)
    expect(isThere(after.text, after.exitCode), after.text).toBe(true)
  })
})

/** community.general's pacemaker_resource and pacemaker_stonith: a line that fails is no failure where its error says this. */
const excused: readonly (readonly [string, string, readonly string[]])[] = [
  ['resource create web ocf:heartbeat:Dummy op monitor interval=20', 'already exists', ['', '0.11', '0.10']],
  ['stonith create fence-n1 fence_dummy', 'already exists', ['', '0.11', '0.10']],
  ['resource clone db', 'already a clone resource', ['', '0.11', '0.10']],
  ['resource remove nobody', 'does not exist', ['0.11', '0.10', '0.9']],
  ['stonith remove nobody', 'does not exist', ['0.11', '0.10', '0.9']],
]
describe.each(excused)('pcs %s, a second time', (line, words, versions) => {
  test.each(versions)(`says '${words}' (PCS_COMPAT=%s)`, async (compat) => {
    const { exitCode, errors } = await pcs(line, compat)
    expect([exitCode, errors]).toEqual([1, expect.stringContaining(words)])
  })
})

test('puppet-corosync’s order, with the score that 0.9 passed over', async () => {
  const line = 'constraint order start vip then start web INFINITY kind=Optional id=vip-first symmetrical=false'
  expect((await pcs(line, '')).exitCode).toBe(1)
  expect((await pcs(line, '0.9')).exitCode).toBe(0)
  expect((await pcs('constraint order show --full', '0.9')).text).toContain(
    '(kind:Optional) (non-symmetrical) (id:vip-first)',
  )
})
