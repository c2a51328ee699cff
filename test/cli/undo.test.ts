/** `config undo`: which version was in force at a time, what is said of it, and what keeps it from taking back more. On nodes: test/nodes/plan.test.ts. */
import { expect, test } from 'vitest'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { realTerminal } from '../../src/cli/call/terminal.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { versionAt } from '../../src/cli/commands/config/undo.ts'
import { type Printed, runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

const versions = [
  { version: 7, time: '2026-11-27T21:30:00.000Z', node: 'n1', user: 'root', command: 'x' },
  { version: 8, time: '2026-11-27T21:40:05.700Z', node: 'n1', user: 'root', command: 'y' },
  { version: 9, time: '2026-11-27T21:50:00.000Z', node: 'n1', user: 'root', command: 'z' },
]
const now = Date.parse('2026-11-27T22:00:00Z')

test.each([
  ['2026-11-27 21:30', 7],
  ['2026-11-27 21:40', 7],
  ['2026-11-27 21:40:04', 7],
  // As 'config history' prints it.
  ['2026-11-27 21:40:05', 8],
  ['2026-11-27T21:40:05.600Z', 7],
  ['2026-11-27 21:40:05 UTC', 8],
  ['2026-11-27 22:45 +01:00', 8],
  ['2026-11-27 21:59', 9],
  ['2026-11-27 22:00:00', 9],
])('at %s it was version %i', (at, version) => {
  expect(versionAt(versions, at, now)).toBe(version)
})

test.each([
  ['2026-11-27 21:29', 'The history begins with version 7, made at 2026-11-27 21:30:00'],
  ['2026-11-27', 'The history begins with version 7'],
  ['2026-11-27 22:01', 'This time has not come yet'],
  ['21:40', 'This is not a time. Specify one such as'],
  ['yesterday', 'This is not a time.'],
  ['2026-13-27 21:40', 'This is not a time.'],
  ['', 'This is not a time.'],
])('%j is refused: %s', (at, sentence) => {
  expect(() => versionAt(versions, at, now)).toThrow(sentence)
})

const cibXml = (priority: number): string =>
  `<cib validate-with="pacemaker-3.9" admin_epoch="0" epoch="1" num_updates="0" have-quorum="1"><configuration><crm_config/><nodes><node id="1" uname="n1"/></nodes><resources><primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><meta_attributes id="m"><nvpair id="m-p" name="priority" value="${priority}"/></meta_attributes></primitive></resources><constraints/></configuration><status/></cib>`

function parsed(xml: string): XmlElement {
  const read = parseXml(xml)
  if (!read.ok) throw new Error('the CIB of this test is malformed')
  return read.value
}

/** The history above, whose versions have their number as a priority; what is pushed is kept. */
async function typed(
  running: number,
  ...line: readonly string[]
): Promise<Printed & { readonly pushed: readonly XmlElement[] }> {
  const pushed: XmlElement[] = []
  const live = Object.assign(Object.create(null), {
    listConfigVersions: () => Promise.resolve({ versions }),
    getConfigVersion: ({ version }: { readonly version: number }) =>
      Promise.resolve({ found: true, entry: versions.find((one) => one.version === version), xml: cibXml(version) }),
  })
  const printed = await runLine({
    commands: allCommands,
    line,
    terminal: { ...scriptedTerminal(), readFile: realTerminal().readFile, now: () => new Date(now) },
    openCluster: () => ({
      live,
      close: () => undefined,
      readCib: () => Promise.resolve({ cib: parsed(cibXml(running)), version: running }),
      push: ({ cib }) => {
        pushed.push(cib)
        return Promise.resolve({ kind: 'saved', version: running + 1 })
      },
    }),
  })
  return { ...printed, pushed }
}

test('a preview says which version, what differs and what follows, and changes nothing', async () => {
  const { standardOutput, pushed, exitCode } = await typed(9, 'config', 'undo', '--at=2026-11-27 21:40', '--preview')
  expect(standardOutput).toContain('Restored version 7 of the configuration (2026-11-27 21:30:00')
  expect(standardOutput).toMatch(/Configuration:\n[\s\S]*"9" -> "7"[\s\S]*The change would cause no actions\./)
  expect([exitCode, pushed]).toEqual([0, []])
})

test('what is taken back is in the facts, and the version of that time is pushed', async () => {
  const { standardOutput, pushed } = await typed(9, 'config', 'undo', '--at=2026-11-27 21:40', '--json')
  const facts = JSON.parse(standardOutput) as {
    readonly restored: { readonly version: number }
    readonly takesBack: readonly { readonly version: number }[]
  }
  expect([facts.restored.version, facts.takesBack.map(({ version }) => version)]).toEqual([7, [8, 9]])
  expect(JSON.stringify(pushed)).toContain('"value":"7"')
})

test('a change that another user makes meanwhile is not taken back unseen', async () => {
  for (const line of [
    ['config', 'undo'],
    ['config', 'undo', '--at=2026-11-27 21:40'],
  ]) {
    const { standardError, pushed, exitCode } = await typed(10, ...line)
    expect(standardError).toContain('Another user changed the configuration after version 9. Nothing was changed.')
    expect([exitCode, pushed]).toEqual([1, []])
  }
})

test.each([
  [['config', 'undo', '7', '--at=2026-11-27 21:40'], 'Specify a version or --at, not both.'],
  [['config', 'restore', '999'], "There is no file '999'. To restore version 999, run: systole config undo 999"],
  [['config', 'restore', '2026-11-27 21:40'], "run: systole config undo --at='2026-11-27 21:40'"],
  [['config', 'restore', 'none.xml'], 'none.xml'],
])('%j is refused: %s', async (line, sentence) => {
  const { standardError, pushed, exitCode } = await typed(9, ...line)
  expect(standardError).toContain(sentence)
  expect(standardError.includes('config undo')).toBe(/^\d/.test(line[2] ?? '') && line[1] === 'restore')
  expect([exitCode, pushed]).toEqual([1, []])
})
