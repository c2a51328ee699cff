import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Refusal } from '../../src/cli/call/command.ts'
import { readPlay } from '../../src/cli/play/read-play.ts'
import { graphAsDot, graphAsSvg, type PlayStep } from '../../src/plays/index.ts'

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

const jobs = (...lines: readonly string[]): string => `- jobs:\n${lines.map((line) => `    - ${line}\n`).join('')}`
const service = (...tasks: readonly string[]): string =>
  `id: s\ntype: service\nversion: "1"\ntasks:\n${tasks.map((line) => `  - ${line}\n`).join('')}`

/** Line, field and sentence. */
const wrong: readonly (readonly [string, string, string])[] = [
  ['jobs:\n  - RUN: a\n', '1', 'neither an orchestration file'],
  ['- jobs: [\n', '2', 'must'],
  ['- jobs: []\n', '1: [0].jobs', 'The list is empty.'],
  ['- target: [n1]\n  jobs: [{RUN: a}]\n', '1: [0].target', "There is no field 'target' here. Did you mean 'targets'?"],
  ['- targets: [n4]\n  jobs: [{RUN: a}]\n', '1: [0].targets[0]', "There is no node 'n4'."],
  ['- name: x\n', '1: [0]', "The field 'jobs' is missing."],
  ['- jobs: [{RUN: a}]\n  async: later\n', '2: [0].async', "'later' is not true or false."],
  [jobs('RUN: a', 'RNU: b'), '3: [0].jobs[1].RNU', "There is no component 'RNU'. Did you mean 'RUN'?"],
  [jobs('run: a'), '2: [0].jobs[0].run', "There is no field 'run' here."],
  [jobs('{RUN: a, ARG: b c}'), '2: [0].jobs[0]', 'A job has one verb; here are RUN and ARG.'],
  [jobs('RUN: [a, b]'), '2: [0].jobs[0].RUN', 'A list is neither'],
  [jobs('RUN:'), '2: [0].jobs[0].RUN', 'RUN takes COMMAND.'],
  [jobs('RUN: --timeout soon a'), '2: [0].jobs[0].RUN', "'soon' is not a whole number: --timeout needs one."],
  [jobs('RUN: --timeout=0 a'), '2: [0].jobs[0].RUN', '--timeout must be at least 1.'],
  [jobs('RUN: --stdout-arg 1x a'), '2: [0].jobs[0].RUN', "'1x' is not the name of an argument."],
  [jobs('{RUN: a, vars: {stdot_arg: x}}'), '2: [0].jobs[0].RUN', 'RUN has no option --stdot-arg.'],
  [jobs('ARG: name'), '2: [0].jobs[0].ARG', 'ARG takes KEY VALUE.'],
  [jobs('ENV: a-b c'), '2: [0].jobs[0].ENV', "'a-b' is not a name"],
  [jobs('ADD: /etc/hostname'), '2: [0].jobs[0].ADD', 'ADD takes SOURCE DESTINATION.'],
  [jobs('ADD: nowhere.txt /tmp/x'), '2: [0].jobs[0].ADD', "There is no file 'nowhere.txt'"],
  [jobs('ADD: --chmod=rwx w.yaml /tmp/x'), '2: [0].jobs[0].ADD', "'rwx' is not a mode in octal digits"],
  [jobs('ADD: --chown w.yaml'), '2: [0].jobs[0].ADD', 'ADD takes SOURCE DESTINATION.'],
  [jobs('COPY: --mode=1 w.yaml /tmp/x'), '2: [0].jobs[0].COPY', 'COPY has no option --mode.'],
  [jobs('COPY: "{{ file }} /tmp/x"'), '2: [0].jobs[0].COPY', 'has braces'],
  [jobs('CACHEEVICT: some'), '2: [0].jobs[0].CACHEEVICT', "'some' is not one of jobs, parents"],
  [jobs('WAIT: "5"'), '2: [0].jobs[0].WAIT', 'WAIT needs one of --seconds, --url, --cmd.'],
  [jobs('WAIT: --url nowhere'), '2: [0].jobs[0].WAIT', "'nowhere' is not a URL."],
  [jobs('WAIT: --seconds=5 --cmd true'), '2: [0].jobs[0].WAIT', 'Specify one of --seconds and --cmd.'],
  [jobs('SERVICE: --restarted --stopped a'), '2: [0].jobs[0].SERVICE', 'Specify one of --restarted and --stopped.'],
  [jobs('SERVICE: --restart a'), '2: [0].jobs[0].SERVICE', "no option --restart. Did you mean 'restarted'?"],
  [jobs('SERVICE: a -H host'), '2: [0].jobs[0].SERVICE', "'-H' is not a name: a name does not begin with -."],
  [jobs('DNF: -c /tmp/other.conf a'), '2: [0].jobs[0].DNF', "'-c' is not a name"],
  [jobs('APT: -o=x a'), '2: [0].jobs[0].APT', "'-o=x' is not a name"],
  [jobs('CONTAINER_IMAGE: --pull -q'), '2: [0].jobs[0].CONTAINER_IMAGE', "'-q' is not a name"],
  [jobs('DNF: --absent --latest a'), '2: [0].jobs[0].DNF', 'Specify one of --latest and --absent.'],
  [jobs('REBOOT: now'), '2: [0].jobs[0].REBOOT', "'now' is not a number of seconds."],
  [jobs('POD: --privileged'), '2: [0].jobs[0].POD', 'POD needs one of --start'],
  [jobs('CONTAINER_IMAGE: --tag a'), '2: [0].jobs[0].CONTAINER_IMAGE', 'needs two images'],
  [jobs('CONTAINER_IMAGE: --pull'), '2: [0].jobs[0].CONTAINER_IMAGE', 'needs an image'],
  [jobs('JOB_WAIT: abc'), '2: [0].jobs[0].JOB_WAIT', 'JOB_WAIT waits for a job by a number of Directord’s own.'],
  [jobs('SECONTEXT: /a'), '2: [0].jobs[0].SECONTEXT', 'SECONTEXT is not supported.'],
  [
    jobs('{ECHO: a, vars: {timeout: soon}}'),
    '2: [0].jobs[0].ECHO',
    "'soon' is not a whole number: --timeout needs one.",
  ],
  [jobs('OWN: a'), '2: [0].jobs[0].OWN', 'Components of your own are files such as components/own.py'],
  ['id: s\ntype: service\nversion: 1.0\ntasks: [{id: a, driver: noop}]\n', '3: version', 'Put it in quotes.'],
  ['id: s\ntype: svc\nversion: "1"\ntasks: [{id: a, driver: noop}]\n', '2: type', "'svc' is not service."],
  ['id: s\ntype: service\nversion: "1"\ntasks: []\n', '4: tasks', 'The list is empty.'],
  [service('{id: a, driver: puppet}'), '5: tasks[0].driver', "'puppet' is not a driver. Choose directord"],
  [service('{id: "a b", driver: noop}'), '5: tasks[0].id', "'a b' is not a name"],
  [service('{id: a, driver: noop, jobs: [{RUN: a}]}'), '5: tasks[0].jobs', 'The driver'],
  [service('{id: a, driver: directord}'), '5: tasks[0]', "needs the field 'jobs'."],
  [service('{id: a, driver: print}'), '5: tasks[0]', "needs the field 'message'."],
  [service('{id: a, driver: service, jobs: [{RUN: a}]}'), '5: tasks[0].jobs[0]', 'is an echo'],
  [service('{id: a, driver: directord, jobs: [{RUM: a}]}'), '5: tasks[0].jobs[0].RUM', "Did you mean 'RUN'?"],
  [
    service('{id: a, driver: noop, requires: [b.x]}'),
    '5: tasks[0].requires[0]',
    "s-a requires 'b.x'. No task provides it.",
  ],
  [service('{id: a, driver: noop, needed-by: [b.x]}'), '5: tasks[0].needed-by[0]', "No task provides 'b.x'."],
  [service('{id: a, driver: noop}', '{id: a, driver: noop}'), '6: tasks[1].id', "The task 'a' is in the list twice."],
  [
    service(
      '{id: a, driver: noop, provides: [x], requires: [y]}',
      '{id: b, driver: noop, provides: [y], requires: [x]}',
    ),
    '5: tasks[0]',
    'The tasks wait for each other: s-a requires s-b requires s-a.',
  ],
  [service('{id: a, driver: noop, require: [x]}'), '5: tasks[0].require', "Did you mean 'requires'?"],
  [service('{id: a, driver: ansible_runner}'), '5: tasks[0]', "needs the field 'playbook'."],
  [
    service('{id: a, driver: ansible_runner, playbook: x, runner_options: {quiet: true}}'),
    '5: tasks[0].runner_options.quiet',
    "There is no field 'quiet' here.",
  ],
]

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
