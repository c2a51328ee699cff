/** `recipe plan` on a CIB in a file: what is shown, and what is refused with its line before anything begins. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { fileAccess } from '../../src/cli/access/file-access.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-recipe-'))
const cib = join(folder, 'cib.xml')
const recipe = join(folder, 'recipe.yaml')
const start = `<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1"><configuration>
<crm_config><cluster_property_set id="o"><nvpair id="o-1" name="stonith-enabled" value="false"/></cluster_property_set></crm_config>
<nodes><node id="1" uname="n1"/></nodes><resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration>
<status><node_state id="1" uname="n1" in_ccm="true" crmd="online" join="member" expected="member"><lrm id="1"><lrm_resources/></lrm></node_state></status></cib>`

beforeEach(() => writeFileSync(cib, start))
afterAll(() => rmSync(folder, { recursive: true }))

async function type(...line: readonly string[]): Promise<Printed> {
  return await runLine({
    commands: allCommands,
    line: ['-f', cib, ...line],
    terminal: scriptedTerminal(),
    openCluster: () => fileAccess(cib),
  })
}

const whole = `name: add-galera
timeout: 5m
steps:
  - run: systole resource disable web
  - run: resource create db ocf:pacemaker:Stateful op monitor interval=10s promotable
    timeout: 60s
  - wait: {promoted: db, min: 1}
  - run: pcs resource enable web
  - wait: converged
`

const steps = (...lines: readonly string[]): string => `steps:\n${lines.map((line) => `  - ${line}\n`).join('')}`

test('a plan shows each step with what it would cause, and changes nothing', async () => {
  writeFileSync(recipe, whole)
  const { standardOutput, standardError } = await type('recipe', 'plan', recipe)
  expect(standardError).toBe('')
  expect(standardOutput).toContain('Recipe add-galera, at most 300 s:\n1. resource disable web\n')
  expect(standardOutput).toMatch(/2\. resource create db .*\n {2}\* start db(:0)? on n1/)
  expect(standardOutput).toContain('3. wait for db to be promoted (at least 1)\n')
  expect(standardOutput).toContain('5. wait for the cluster to converge\n')
  const facts = JSON.parse((await type('recipe', 'plan', recipe, '--json')).standardOutput) as Record<string, unknown>
  expect([facts.recipe, facts.timeoutMs, (facts.steps as readonly unknown[]).length]).toEqual([
    'add-galera',
    300_000,
    5,
  ])
  expect(readFileSync(cib, 'utf8')).toBe(start)
})

test('what a step causes is what it causes after the steps before it', async () => {
  const created = 'run: resource create db ocf:pacemaker:Dummy'
  writeFileSync(recipe, steps(created, 'run: resource disable db', 'wait: {stopped: db}', 'run: resource enable db'))
  const { standardOutput } = await type('recipe', 'plan', recipe)
  expect(standardOutput.split('\n').filter((line) => / db on /.test(line))).toEqual([
    '  * start db on n1',
    '  * stop db on n1',
    '  * start db on n1',
  ])
})

test('a recipe runs in a cluster only', async () => {
  writeFileSync(recipe, whole)
  expect((await type('recipe', 'run', recipe)).exitCode).toBe(1)
  expect(readFileSync(cib, 'utf8')).toBe(start)
})

const mistakes: readonly (readonly [string, string])[] = [
  ['a: b: c\n', ':1: '],
  ['[1]\n', ':1: '],
  ['name: x\n', ":1: The field 'steps' is missing."],
  ['steps: []\n', ':1: steps: The list is empty.'],
  [steps(...Array.from({ length: 20 }, () => 'wait: converged')), ':1: steps: The list has more than 19 entries.'],
  [steps('runn: x'), ":2: steps[0].runn: There is no field 'runn'"],
  [steps('timeout: 5s'), ':2: steps[0]: Specify one of run, wait.'],
  [steps('{run: resource disable web, wait: converged}'), ':2: steps[0]: Specify one of run, wait.'],
  [steps('wait: done'), ":2: steps[0].wait: 'done' is not a state."],
  [steps('wait: {min: 2}'), ':2: steps[0].wait: Specify one of started'],
  [steps('wait: {started: web, stopped: web}'), ':2: steps[0].wait: Specify one of started'],
  [steps('wait: {stopped: web, min: 1}'), ':2: steps[0].wait.min: Nothing of a stopped resource runs.'],
  [steps('wait: {started: web, min: 0}'), ':2: steps[0].wait.min: '],
  [steps('{wait: converged, timeout: soon}'), ":2: steps[0].timeout: 'soon' is not a duration"],
  [`timeout: 13h\n${steps('wait: converged')}`, ":1: timeout: '13h' is not a duration from 1s to 12h."],
  [steps('wait: converged', 'wait: {started: shop}'), ":3: There is no resource 'shop' at this step."],
  [steps('wait: {promoted: web}'), ":2: 'web' is not promotable."],
  [steps('wait: {service: www}'), ":2: There is no service 'www' at this step."],
  [steps('run: resource disable shop'), ":2: There is no resource 'shop'."],
  [steps('run: resource delete web', 'run: resource disable web'), ':3: '],
  [steps('run: status'), ":2: 'status' does not change the configuration"],
  [steps('run: apply x.yaml'), ":2: 'apply x.yaml' does not change the configuration, or cannot be one step"],
  [steps(`run: recipe run ${recipe}`), 'does not change the configuration, or cannot be one step'],
  [steps('run: resource disable web; reboot'), ':2: '],
  [steps('run: resource disable web && reboot'), ":2: '&&' is for a shell."],
  [steps('run: resource disable web --wait=5'), ":2: A step does not take '--wait=5'"],
  [steps('run: resource disable web --confirm-within=5m'), ":2: A step does not take '--confirm-within=5m'"],
  [steps('run: resource disabel web'), ':2: '],
]
test.each(mistakes)('%j is refused with its line', async (text, sentence) => {
  writeFileSync(recipe, text)
  const { exitCode, standardError } = await type('recipe', 'plan', recipe)
  expect(standardError).toContain(`${recipe}${sentence.startsWith(':') ? sentence : ''}`)
  expect(standardError).toContain(sentence)
  expect([exitCode, readFileSync(cib, 'utf8')]).toEqual([1, start])
})
