import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Refusal } from '../../src/cli/call/command.ts'
import { readPlay } from '../../src/cli/play/read-play.ts'
import { graphAsDot, graphAsSvg, type PlayStep } from '../../src/plays/index.ts'
import { service, wrong } from './wrong-files.ts'

const examples = resolve(import.meta.dirname, '../../examples/plays')
const example = (name: string): string => join(examples, name)
const cluster = {
  nodes: ['n1', 'n2', 'n3'],
  remotes: ['r1'],
  here: 'n2',
  nodesOfRole: (role: string) => (role === 'controller' ? ['n1'] : []),
}
const read = (paths: readonly string[], on?: readonly string[]) => readPlay(paths, cluster, on)
const byId = (steps: readonly PlayStep[], id: string): PlayStep => {
  const step = steps.find((one) => one.id === id)
  if (step === undefined) throw new Error(`there is no step ${id}: ${steps.map((one) => one.id).join(', ')}`)
  return step
}
const shape = (steps: readonly PlayStep[]): readonly string[] =>
  steps.map(
    ({ id, requires, once, components }) =>
      `${id}${once ? ' once' : ''} [${components.map(({ verb }) => verb).join(' ')}] after ${requires.join(', ')}`,
  )

const folder = mkdtempSync(join(tmpdir(), 'systole-plays-'))
afterAll(() => rmSync(folder, { recursive: true }))
const written = (name: string, text: string): string => {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

describe('an orchestration file of Directord', () => {
  test('is a graph: nodes meet where one acts for all, and where facts are collected; async items stand side by side', () => {
    const { steps } = read([example('site.yaml')])
    expect(shape(steps)).toEqual([
      'facts.1 [RUN RUN] after ',
      'facts.2 once [RUN] after facts.1',
      'facts.3 [RUN RUN ARG ARG ARG ENV QUERY] after facts.2',
      'files [WORKDIR RUN COPY CACHEFILE ADD RUN RUN WAIT WAIT] after facts.3',
      'left [ECHO] after files',
      'right [RUN] after files',
      'end [QUERY_WAIT RUN CACHEEVICT] after files, left, right',
    ])
    expect(byId(steps, 'facts.1').nodes).toEqual(['n1', 'n2', 'n3'])
    const [copy] = byId(steps, 'files').components.filter(({ verb }) => verb === 'COPY')
    expect(copy).toMatchObject({
      options: { chmod: '0640', chown: '0:0' },
      words: ['files/values.yaml', '/tmp/systole-play/values.yaml'],
      files: [{ name: 'values.yaml' }],
    })
    expect(byId(steps, 'left').components[0]?.files).toMatchObject([{ name: 'echo.py' }])
    expect(byId(steps, 'facts.3').components[0]?.options).toEqual({ 'stdout-arg': 'host_name' })
  })

  test('has targets of its own, which --on replaces; a boot is a step of its own', () => {
    const file = written(
      'targets.yaml',
      '- targets: [n3, n1]\n  jobs:\n    - RUN: a\n    - REBOOT: 5\n    - QUEUESENTINEL:\n    - RUN: b\n    - RUN: c\n',
    )
    const { steps } = read([file])
    expect(steps.map(({ id, nodes, reboots }) => [id, nodes.join(' '), reboots])).toEqual([
      ['1.1', 'n3 n1', undefined],
      ['1.2', 'n3 n1', true],
      ['1.3', 'n3 n1', undefined],
    ])
    expect(read([file], ['n2']).steps[0]?.nodes).toEqual(['n2'])
  })

  test('leaves out nodes on which it does not set what it asks for, and no others', () => {
    const file = written(
      'partial.yaml',
      `- jobs:
    - RUN: --run-once --stdout-arg cookie uuidgen
    - RUN: --stdout-arg name uname -n
    - QUERY: cookie
    - QUERY: name
    - QUERY: elsewhere
- targets: [n2]
  jobs:
    - ARG: port 80
- targets: [n2]
  jobs:
    - QUERY: port
- jobs:
    - QUERY: port
`,
    )
    const queries = read([file]).steps.flatMap(({ components }) => components.filter(({ verb }) => verb === 'QUERY'))
    expect(queries.map(({ words, options }) => [words?.[0], 'no-wait' in options])).toEqual([
      ['cookie', true],
      ['name', false],
      ['elsewhere', false],
      ['port', false],
      ['port', true],
    ])
  })

  test('has words with expressions, whose quotes are their own, and a sentinel with the word that Directord demands', () => {
    const file = written(
      'words.yaml',
      `- jobs:
    - COPY: words.yaml "/etc/{{ domain | replace('.', "-") }}/a b"
    - SERVICE: site-{{ domain | replace(".", "-") }}.service
    - QUEUESENTINEL: true
    - RUN: end
`,
    )
    const { steps } = read([file])
    expect(steps.map(({ components }) => components.map(({ words }) => words))).toEqual([
      [['words.yaml', `/etc/{{ domain | replace('.', "-") }}/a b`], ['site-{{ domain | replace(".", "-") }}.service']],
      [undefined],
    ])
  })

  test('keeps a command as it stands: its own options and its lines are its own', () => {
    const file = written(
      'command.yaml',
      '- jobs:\n    - RUN: |\n        --timeout 5 curl --retry  3 "a  b"\n        echo --skip-cache\n    - ADD: --blueprint command.yaml /tmp/{{ a b }}/x --chown root --chmod=0700\n',
    )
    const [run, add] = read([file]).steps[0]?.components ?? []
    expect(run).toMatchObject({ text: 'curl --retry  3 "a  b"\necho --skip-cache', options: { timeout: '5' } })
    expect(add).toMatchObject({
      words: ['command.yaml', '/tmp/{{ a b }}/x'],
      options: { blueprint: '', chown: 'root', chmod: '0700' },
    })
  })
})

test('options that every component has act for components of users, too', () => {
  written('own/components/echo.py', '')
  const file = written(
    'own/own.yaml',
    '- jobs: [{ECHO: a, vars: {stdout_arg: said, run_once: false, timeout: 5}}, {ECHO: b, vars: {run_once: true}}]\n',
  )
  const { steps } = read([file])
  expect(steps.map(({ once, components }) => [once, components[0]?.options])).toEqual([
    [undefined, { 'stdout-arg': 'said', timeout: '5' }],
    [true, { 'run-once': '' }],
  ])
})

describe('files of Task-Core', () => {
  const paths = ['services', 'inventory.yaml', 'roles.yaml'].map(example)

  test('are a graph by what they provide, require and are needed by; services without nodes are left out', () => {
    const { steps, warnings } = read(paths)
    expect(shape(steps).toSorted()).toEqual([
      'audit-rules [RUN] after ',
      'base-folders [WORKDIR RUN QUERY] after ',
      'base-ready [] after base-folders',
      'database-init.1 [ARG RUN] after base-ready',
      'database-init.2 once [RUN] after database-init.1',
      'database-start [RUN] after database-init.2',
      'identity-done [EXEC] after identity-init',
      'identity-init [RUN] after database-start, audit-rules',
    ])
    expect(byId(steps, 'base-folders').nodes).toEqual(['n1', 'n2', 'n3'])
    expect(byId(steps, 'identity-init').nodes).toEqual(['n1', 'n2'])
    expect(warnings).toEqual([`${example('services/unused.yaml')}: The service unused is left out: no node has it.`])
  })

  test('without an inventory are for the nodes with the roles of the cluster', () => {
    const { steps } = read([example('services'), example('roles.yaml')])
    expect(byId(steps, 'database-start').nodes).toEqual(['n1'])
  })

  test('playbooks and local commands run on the node where the play is started', () => {
    const service = written(
      'local/s.yaml',
      'id: s\ntype: service\nversion: "1"\ntasks:\n  - {id: a, driver: local, command: "uptime", returncodes: [0, 3], quiet: true}\n  - id: b\n    driver: ansible_runner\n    playbook: site.yml\n    runner_options: {extravars: {x: 1}, verbosity: 2}\n',
    )
    const roles = written('local/roles.yaml', 'roles:\n  controller: {services: [s]}\n')
    // Typed from another folder: a command on a node begins elsewhere.
    const { steps } = read([relative(process.cwd(), service), roles])
    expect(steps.map(({ nodes }) => nodes)).toEqual([['n2'], ['n2']])
    expect(steps[0]?.components).toEqual([
      { verb: 'EXEC', label: 'uptime', options: { quiet: '', returncodes: '0,3' }, words: ['/bin/sh', '-c', 'uptime'] },
    ])
    expect(steps[1]?.components[0]?.words).toEqual(
      expect.arrayContaining([`${dirname(service)}/.`, 'site.yml', '-e', '{"x":1}', '-vv']) as unknown,
    )
  })

  test('are drawn, with every step and every arrow', () => {
    const { steps } = read(paths)
    const dot = graphAsDot(steps)
    expect(dot).toContain('"database-init.1" -> "database-init.2";')
    expect(dot).toContain('label="database-init.2\\none of n1, n2"')
    const svg = graphAsSvg(steps)
    expect(svg.match(/<rect /g)).toHaveLength(steps.length)
    expect(svg.match(/marker-end/g)).toHaveLength(steps.reduce((sum, { requires }) => sum + requires.length, 0))
  })
})

describe('what is wrong in a file is told with its line and field, and nothing begins', () => {
  const roles = (): string => written('wrong/roles.yaml', 'roles:\n  controller: {services: [s]}\n')

  written('wrong/components/echo.py', '')

  test.each(wrong)('%j', (text, place, sentence) => {
    const file = written('wrong/w.yaml', text)
    const isService = text.includes('type: s')
    const refusal = refusalOf(() => read(isService ? [file, roles()] : [file]))
    const at = place.includes(':') ? `${file}:${place}` : `${file}:${place}:`
    const found = refusal.find((one) => one.startsWith(at))
    expect(found ?? refusal.join('\n')).toContain(at)
    if (sentence !== 'must' && sentence !== 'The driver') expect(found).toContain(sentence)
  })

  test.each([
    [
      'roles:\n  controller: {services: [t]}\n',
      'hosts: {n1: {role: controller}}\n',
      "roles.yaml:2: roles.controller.services[0]: There is no service 't'.",
    ],
    [
      'roles:\n  controller: {}\n',
      'hosts: {n1: {role: controller}}\n',
      "roles.yaml:2: roles.controller: The field 'services' is missing.",
    ],
    [
      'roles:\n  controller: {services: [s]}\n',
      'hosts:\n  n1: {role: control}\n',
      "inventory.yaml:2: hosts.n1.role: There is no role 'control' in the files.",
    ],
    [
      'roles:\n  controller: {services: [s]}\n',
      'hosts:\n  n9: {role: controller}\n',
      "inventory.yaml:2: hosts.n9: There is no node 'n9'.",
    ],
    ['roles:\n  controller: {services: [s]}\n', 'hosts:\n  n1: controller\n', 'inventory.yaml:2: hosts.n1: '],
  ])('%j, %j', (rolesText, inventoryText, sentence) => {
    const files = [
      written('task-core/s.yaml', service('{id: a, driver: noop}')),
      written('task-core/roles.yaml', rolesText),
      written('task-core/inventory.yaml', inventoryText),
    ]
    expect(refusalOf(() => read(files)).join('\n')).toContain(sentence)
  })

  test('a requirement that only a service without nodes provides names that service', () => {
    const one = written('idle/one.yaml', service('{id: a, driver: noop, requires: [t.init]}'))
    const two = written('idle/two.yaml', service('{id: a, driver: noop, provides: [t.init]}').replace('id: s', 'id: t'))
    const role = written('idle/roles.yaml', 'roles: {controller: {services: [s]}}\n')
    expect(refusalOf(() => read([one, two, role]))).toEqual([
      expect.stringContaining("s-a requires 't.init'. The service t provides it, and no node has that service."),
    ])
  })
})

function refusalOf(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (error) {
    if (error instanceof Refusal) return error.sentences
    throw error
  }
  throw new Error('nothing was refused')
}
