/**
 * Whatever a command writes is valid against Pacemaker's schema that the CIB names, also where it names an old one. Each command that
 * changes the configuration has a line in lines.txt, and a new one without fails.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseXml, schemaMistakes } from '../../../src/cib/index.ts'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { splitShellLine } from '../../../src/cli/call/shell-words.ts'
import { findCommand } from '../../../src/cli/call/tree.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { foreseeFlag } from '../../../src/cli/foresee/foresee.ts'
import { runLine } from '../../../src/cli/start/run.ts'
import { scriptedTerminal } from '../scripted-terminal.ts'

const schemas = ['1.2', '2.0', '2.10', '3.0', '3.1', '3.3', '3.5', '3.7', '3.9']
const rng = (schema: string): string => `/usr/share/pacemaker/${schema}.rng`

/** What each schema has from the beginning. */
const cibOf = (
  schema: string,
): string => `<cib validate-with="pacemaker-${schema}" admin_epoch="0" epoch="1" num_updates="0">
  <configuration>
    <crm_config><cluster_property_set id="o"><nvpair id="o-1" name="stonith-enabled" value="true"/></cluster_property_set></crm_config>
    <nodes><node id="1" uname="n1"/><node id="2" uname="n2"/></nodes>
    <resources>
      <primitive id="web" class="ocf" provider="pacemaker" type="Dummy"><operations>
        <op id="web-monitor" name="monitor" interval="10s"/></operations></primitive>
      <group id="cluster1"><primitive id="member" class="ocf" provider="pacemaker" type="Dummy"/></group>
      <clone id="db-clone"><primitive id="db" class="ocf" provider="pacemaker" type="Stateful"/>
        <meta_attributes id="db-m"><nvpair id="db-m-1" name="promotable" value="true"/></meta_attributes></clone>
      <primitive id="fence1" class="stonith" type="fence_ipmilan"/>
      <primitive id="fence2" class="stonith" type="fence_ipmilan"/>${
        bundleSince(schema) ? '<bundle id="pack"><docker image="i"/><network control-port="9"/></bundle>' : ''
      }
    </resources>
    <constraints/>
  </configuration>
  <status/>
</cib>
`
const bundleSince = (schema: string): boolean => !['1.2', '2.0'].includes(schema)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-schemas-'))
  writeFileSync(
    join(folder, 'lines.crm'),
    'primitive p8 ocf:pacemaker:Dummy\nlocation l8 web rule $role=Promoted 5: #uname eq n1\n',
  )
  writeFileSync(
    join(folder, 'cluster.yaml'),
    'resources: {y8: {agent: ocf:pacemaker:Dummy, meta: {priority: 1}}}\nconstraints: {l9: {location: y8, node: n1, score: 1}}\n',
  )
  writeFileSync(
    join(folder, 'other.xml'),
    cibOf('3.9').replace(
      '<constraints/>',
      '<constraints><rsc_ticket id="t" rsc="db-clone" rsc-role="Promoted" ticket="T"/></constraints>',
    ),
  )
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Written {
  readonly line: string
  /** pcs does it on a running cluster only. */
  readonly own: boolean
  readonly live: boolean
  readonly parts: readonly (readonly string[])[]
}

const lines: readonly Written[] = readFileSync(join(import.meta.dirname, 'lines.txt'), 'utf8')
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith('#'))
  .map((line) => {
    const live = line.startsWith('live: ')
    return {
      line,
      own: line.startsWith('own: '),
      live,
      parts: line
        .replace(/^(live|own): /, '')
        .split(' && ')
        .map(splitShellLine),
    }
  })

async function run(words: readonly string[], file: string, program: 'pcs' | 'systole'): Promise<number> {
  const { exitCode } = await runLine({
    commands: allCommands,
    line: ['-f', file, ...words.map((word) => word.replace('FOLDER', folder))],
    terminal: scriptedTerminal(),
    openCluster: (other) => fileAccess(other ?? ''),
    called: { program, environment: undefined },
  })
  return exitCode
}

/** A drain is a record beside the configuration, and what is only foreseen is none: in a file there is neither. */
test('every command that writes has a line', () => {
  const covered = new Set(lines.flatMap(({ parts }) => parts.map((part) => findCommand(allCommands, part)?.command)))
  const writing = allCommands.filter(
    (command) =>
      command.refuses === undefined &&
      command.path.join(' ') !== 'node drain' &&
      command.flags?.some((flag) => flag.name === 'preview' && flag !== foreseeFlag),
  )
  expect(writing.length).toBeGreaterThan(100)
  expect(writing.filter((command) => !covered.has(command)).map(({ path }) => path.join(' '))).toEqual([])
})

function mistakesIn(path: string): readonly string[] {
  const cib = parseXml(readFileSync(path, 'utf8'))
  return cib.ok ? schemaMistakes(cib.value) : ['malformed']
}

/** Lines that were obeyed under some schema. */
const obeyed = new Set<string>()
for (const schema of schemas)
  test(`what is written into a CIB of the schema ${schema} is valid`, { timeout: 120_000 }, async () => {
    const own = join(folder, schema)
    mkdirSync(own)
    const start = join(own, 'start.xml')
    writeFileSync(start, cibOf(schema))
    const files = new Map<string, { readonly line: string; readonly path: string }[]>()
    const keep = (line: string, path: string): void => {
      const named = /validate-with="([^"]*)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? 'none'
      files.set(named, [...(files.get(named) ?? []), { line, path }])
    }
    keep('nothing', start)
    for (const [index, { line, own: isOwn, live, parts }] of lines.entries()) {
      const path = join(own, `${index}.xml`)
      copyFileSync(start, path)
      const codes: number[] = []
      for (const part of live ? [] : parts) codes.push(await run(part, path, isOwn ? 'systole' : 'pcs'))
      if (codes.every((code) => code === 0)) obeyed.add(line)
      keep(line, path)
    }
    for (const [named, written] of files) {
      // Debian 12's Pacemaker has no schema beyond 3.9: for 4.0 our own reading of it has to do, which fuzz:tools holds against Pacemaker 3.
      if (named === 'pacemaker-4.0') {
        for (const { line, path } of written) expect(mistakesIn(path), line).toEqual([])
        continue
      }
      const { stderr } = spawnSync(
        'xmllint',
        ['--noout', '--relaxng', rng(named), ...written.map(({ path }) => path)],
        {
          encoding: 'utf8',
        },
      )
      const valid = new Set(
        stderr.split('\n').flatMap((line) => (line.endsWith(' validates') ? [line.split(' ')[0]] : [])),
      )
      expect(written.filter(({ path }) => !valid.has(path)).map(({ line }) => `${line} (${named})`)).toEqual([])
    }
  })

test('cib-upgrade goes to 4.0, and in the words of an older pcs to what its Pacemaker has', async () => {
  const upgraded = async (...line: readonly string[]): Promise<string | undefined> => {
    const path = join(folder, 'upgraded.xml')
    writeFileSync(path, cibOf('3.7'))
    expect(await run(line, path, 'pcs')).toBe(0)
    return /validate-with="([^"]*)"/.exec(readFileSync(path, 'utf8'))?.[1]
  }
  expect(await upgraded('cluster', 'cib-upgrade')).toBe('pacemaker-4.0')
  expect(await upgraded('--compat=0.11', 'cluster', 'cib-upgrade')).toBe('pacemaker-3.9')
})

test('of every command but those for a running cluster a line is obeyed under some schema', () => {
  const commandsOf = (chosen: readonly Written[]): ReadonlySet<unknown> =>
    new Set(chosen.flatMap(({ parts }) => parts.map((part) => findCommand(allCommands, part)?.command.path.join(' '))))
  const done = commandsOf(lines.filter(({ line, live }) => live || obeyed.has(line)))
  expect([...commandsOf(lines)].filter((command) => !done.has(command))).toEqual([])
})
