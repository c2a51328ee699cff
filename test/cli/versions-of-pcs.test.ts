/** The same lines called as pcs 0.11 and 0.12, where the two answer otherwise, or both otherwise than systole: as fresh lines beside both have shown. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

let folder = ''
let file = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-versions-'))
  file = join(folder, 'cib.xml')
  copyFileSync(join(import.meta.dirname, 'cases/start.xml'), file)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Of several lines, the last one's answer and the CIB after it. */
async function pcs(compat: '0.11' | '0.12', ...lines: readonly string[]): Promise<string> {
  let answer = ''
  for (const line of lines) {
    const { standardOutput, standardError, exitCode } = await runLine({
      commands: allCommands,
      line: splitShellLine(line),
      terminal: scriptedTerminal([]),
      openCluster: (other) => fileAccess(other ?? file),
      called: { program: 'pcs', environment: compat === '0.11' ? compat : undefined },
    })
    answer = `${exitCode}\n${standardOutput}${standardError}`
  }
  return answer
}

/** Of the rule that was made last. */
const rule = (): string =>
  /<rule(?:(?!<rule )[\s\S])*?<\/rsc_location>|<rule[\s\S]*<\/rule>/.exec(readFileSync(file, 'utf8'))?.[0] ?? ''
const nested = (): number => [...rule().matchAll(/<rule /g)].length - 1

test('parentheses around what is joined alike make no rule of their own in 0.11', async () => {
  const line = `constraint location vip rule defined a or '(' defined b or defined c ')'`
  await pcs('0.11', line)
  expect(nested()).toBe(0)
  copyFileSync(join(import.meta.dirname, 'cases/start.xml'), file)
  await pcs('0.12', line)
  expect(nested()).toBe(1)
})

test('a rule within a rule has a score that means nothing in 0.11', async () => {
  await pcs('0.11', `constraint location vip rule defined a and '(' defined b or defined c ')'`)
  expect(rule()).toMatch(/<rule [^>]*boolean-op="or"[^>]*score="0"/)
})

test('a range of dates without a start is one since 0.12', async () => {
  const line = 'constraint location vip rule date in_range to 2027-01-01'
  expect(await pcs('0.11', line)).toContain(
    "1\nError: 'date in_range to 2027-01-01' is not a valid rule expression: unexpected 'to'",
  )
  expect(await pcs('0.12', line)).toMatch(/^0\n/)
})

test('a new rule raises an old schema since 0.12', async () => {
  const old = readFileSync(file, 'utf8').replace(/validate-with="[^"]*"/, 'validate-with="pacemaker-3.0"')
  const schema = (): string => /validate-with="([^"]*)"/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
  for (const [compat, after] of [
    ['0.11', 'pacemaker-3.0'],
    ['0.12', 'pacemaker-3.'],
  ] as const) {
    writeFileSync(file, old)
    expect(await pcs(compat, 'constraint location vip rule role=Promoted defined a')).toMatch(/^0\n/)
    expect(schema().startsWith(after)).toBe(true)
    expect(schema() === 'pacemaker-3.0').toBe(compat === '0.11')
    expect(rule()).toContain(compat === '0.11' ? 'role="Master"' : 'role="Promoted"')
  }
})

test('constraint ref of 0.11 answers each word, and has the kinds one after the other', async () => {
  const made = ['constraint order vip then web id=a-order', 'constraint location vip prefers n1=7'] as const
  const older = await pcs('0.11', ...made, 'constraint ref vip vip')
  expect(older.match(/Resource: vip/g)).toHaveLength(2)
  expect(older).toMatch(/Resource: vip\n {2}location-vip-\S+\n {2}a-order\n/)
  expect((await pcs('0.12', 'constraint ref vip vip')).match(/Resource: vip/g)).toHaveLength(1)
})

test('constraints with rules are shown by node in 0.11', async () => {
  const made = 'constraint location vip rule score=5 defined a'
  expect(await pcs('0.11', made, 'constraint location config nodes')).toContain(
    '  Node: \n    Allowed to run:\n      Resource: vip (score:0)\n',
  )
  expect(await pcs('0.11', 'constraint location config nodes n9')).toContain('Expression: defined a')
})

test('defaults of 0.11 show the ids of rules alone, and --force is for setting them', async () => {
  const made = 'resource op defaults set create id=slow meta timeout=60s rule op monitor'
  const shown = await pcs('0.11', made, 'resource op defaults --full')
  expect(shown).toContain('Rule: boolean-op=and score=INFINITY (id:slow-rule)')
  expect(shown).toContain('    timeout=60s\n'.slice(2))
  expect(await pcs('0.11', 'resource op defaults --force')).toContain(
    "Error: Specified option '--force' is not supported in this command",
  )
})

test('--future is an option of 0.12', async () => {
  const line = 'resource create one ocf:pacemaker:Dummy --future --force'
  expect(await pcs('0.11', line)).toMatch(/^1\n/)
  expect(await pcs('0.12', line)).toMatch(/^0\n/)
})

test('0.11 reads the first set of a node’s attributes and capacities', async () => {
  const second = (kind: string): string =>
    `<${kind} id="b-${kind}"><nvpair id="b-${kind}-x" name="second" value="1"/></${kind}>`
  const first = (kind: string): string =>
    `<${kind} id="a-${kind}"><nvpair id="a-${kind}-x" name="first" value="1"/></${kind}>`
  const both = ['instance_attributes', 'utilization'].map((kind) => first(kind) + second(kind)).join('')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/<nodes>/, `<nodes><node id="77" uname="n77">${both}</node>`))
  for (const what of ['attribute', 'utilization']) {
    expect(await pcs('0.11', `node ${what} n77`)).not.toContain('second')
    expect(await pcs('0.12', `node ${what} n77`)).toContain('first=1 second=1')
  }
})

test('neither a name with a blank nor a value is put in quotes', async () =>
  expect(await pcs('0.12', 'node attribute n1 "b c=two words"', 'node attribute n1 --name="b c"')).toContain(
    'b c=two words',
  ))

test('an empty lifetime is none', async () => {
  expect(await pcs('0.12', 'resource ban vip n1 lifetime=')).toMatch(/^0\n/)
  expect(readFileSync(file, 'utf8')).toMatch(/<rsc_location id="cli-ban-vip-on-n1"[^>]*node="n1"/)
})

test('status resources with a member of a group shows that member', async () => {
  const shown = await pcs('0.12', 'resource group add both vip web', 'status resources vip')
  expect(shown).toContain('* Resource Group: both:')
  expect(shown).toContain('* vip\t')
  expect(shown).not.toContain('* web\t')
})

test('the commands of stonith config have levels since 0.12', async () => {
  const made = ['stonith create f fence_virsh ip=a username=b --force', 'stonith level add 1 n1 f --force'] as const
  expect(await pcs('0.12', ...made, 'stonith config --output-format cmd')).toContain('stonith level add')
  expect(await pcs('0.11', 'stonith config --output-format cmd')).not.toContain('stonith level add')
})

test('influence comes after the score', async () => {
  const text = readFileSync(file, 'utf8')
  const made = '<rsc_colocation id="c" rsc="vip" with-rsc="web" score="5" influence="false"/>'
  writeFileSync(
    file,
    text.includes('<constraints/>')
      ? text.replace('<constraints/>', `<constraints>${made}</constraints>`)
      : text.replace('<constraints>', `<constraints>${made}`),
  )
  expect(await pcs('0.12', 'constraint colocation')).toContain('score=5 influence=false')
})
