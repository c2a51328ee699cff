import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/**
 * Agents that misbehave, each a real program under a real daemon: what happened is told as it was, with the name of the
 * resource, and a neighbour goes on untouched.
 */
const lab = new Lab(['n1'])
const agents = join(lab.folder, 'systole/agents/ocf/bad')
const file = (name: string): string => join(lab.folder, name)
const agentPath = (name: string): string => join(agents, name)

const metadata = `<?xml version="1.0"?>
<resource-agent name="bad" version="1"><version>1.1</version><shortdesc lang="en">x</shortdesc><longdesc lang="en">x</longdesc>
<parameters><parameter name="port"><content type="string"/></parameter></parameters>
<actions><action name="start" timeout="20s"/><action name="stop" timeout="20s"/><action name="monitor" timeout="20s" interval="200ms"/>
<action name="meta-data" timeout="5s"/></actions></resource-agent>`

/** A service that is a file; `mischief` is what the agent does before it does its work. */
function install(name: string, mischief: string, describes = metadata): void {
  const script = `#!/bin/sh
if [ "$1" = meta-data ]; then cat <<'END'
${describes}
END
exit 0; fi
state=${file(`${name}.state`)}
echo "$1" >>${file(`${name}.calls`)}
${mischief}
case $1 in start) touch $state;; stop) rm -f $state;; monitor) [ -e $state ] || exit 7;; esac
exit 0
`
  writeFileSync(agentPath(name), script)
  chmodSync(agentPath(name), 0o755)
}

const calls = (name: string): readonly string[] =>
  readFileSync(file(`${name}.calls`), 'utf8')
    .trim()
    .split('\n')

const daemon = async (): Promise<string> => (await lab.inNode('n1', 'cat', '/run/systoled.pid')).trim()
interface BadAgent {
  readonly name: string
  readonly agent: string
  readonly mischief?: string
  /** What is done to it once it runs. */
  readonly harm?: (path: string) => void
  /** What `status` and `why` both say of it; `@` is the agent's file. */
  readonly told: string
  /** Of the failure that is recorded. */
  readonly exitCode: number
}

const badAgents: readonly BadAgent[] = [
  {
    name: 'one that is removed while it runs is not installed',
    agent: 'removed',
    harm: (path) => rmSync(path),
    told: 'ocf:bad:removed is not installed: there is no program in /usr/lib/ocf/resource.d/bad.',
    exitCode: 5,
  },
  {
    name: 'one that may not be executed any more is named with its file',
    agent: 'unexecutable',
    harm: (path) => chmodSync(path, 0o644),
    told: 'ocf:bad:unexecutable is not installed: @ is not executable.',
    exitCode: 5,
  },
  {
    name: 'one whose interpreter does not exist could not be started',
    agent: 'uninterpreted',
    harm: (path) => writeFileSync(path, '#!/no/such/shell\n'),
    told: '@ could not be started: it is gone, or the interpreter in its first line does not exist',
    exitCode: 1,
  },
  {
    name: 'one that hangs did not complete in time',
    agent: 'hanging',
    mischief: '[ "$1" = start ] && exec sleep 600',
    told: 'start did not complete within 1s',
    exitCode: 1,
  },
  {
    name: 'one that ignores SIGTERM is killed',
    agent: 'stubborn',
    mischief: '[ "$1" = start ] && { trap "" TERM; while :; do sleep 600; done; }',
    told: 'start did not complete within 1s, ignored SIGTERM and was killed',
    exitCode: 1,
  },
  {
    name: 'one that dies by a signal is told with the signal',
    agent: 'dying',
    mischief: '[ "$1" = start ] && kill -SEGV $$',
    told: 'start was ended by SIGSEGV',
    exitCode: 1,
  },
  {
    name: 'an exit code that OCF does not define is told as it is',
    agent: 'undefined-code',
    mischief: '[ "$1" = start ] && exit 42',
    told: '42 is not an exit code defined by OCF',
    exitCode: 42,
  },
  {
    name: 'of one that floods its output the last reason counts',
    agent: 'flooding',
    mischief: `[ "$1" = start ] && { head -c 30000000 /dev/zero | tr '\\0' x; echo 'ocf-exit-reason:drowned' >&2; exit 1; }`,
    told: 'drowned',
    exitCode: 1,
  },
  {
    name: 'a reason without end and with control characters is cut and cleaned',
    agent: 'rambling',
    mischief: `[ "$1" = start ] && { printf 'ocf-exit-reason:\\001\\033[31mred%s\\n' "$(head -c 20000 /dev/zero | tr '\\0' y)" >&2; exit 1; }`,
    told: `[31mred${'y'.repeat(490)}`.slice(0, 500),
    exitCode: 1,
  },
]

let daemonAtFirst: string
let status: string
let failures: readonly Failure[]
let monitor: string

interface Failure {
  readonly resource: string
  readonly exitCode: number
}

beforeAll(async () => {
  mkdirSync(agents, { recursive: true })
  await lab.start()
  await lab.formCluster()
  daemonAtFirst = await daemon()
  await lab.systole('n1', 'property', 'set', 'stonith-enabled=false')
  install('steady', '')
  for (const { agent, mischief = '' } of badAgents) install(agent, mischief)
  await create('steady', ...badAgents.map(({ agent }) => agent))
  const toBeHarmed = badAgents.filter(({ harm }) => harm)
  await lab.until(
    'those run that are harmed only then',
    async () => {
      const { resources } = await lab.status('n1')
      return ['steady', ...toBeHarmed.map(({ agent }) => agent)].every((id) =>
        resources.some((resource) => resource.id === id && resource.role === 'Started'),
      )
    },
    60_000,
  )
  for (const { agent, harm } of toBeHarmed) harm?.(agentPath(agent))
  await lab.until(
    'all have failed',
    async () => {
      failures = await failuresSeen()
      return badAgents.every(({ agent }) => failures.some(({ resource }) => resource === agent))
    },
    60_000,
  )
  status = await lab.systole('n1', 'status')
  monitor = await lab.inNode('n1', file('systole/shims/crm_mon'), '-1')
}, 180_000)
afterAll(() => lab.close())

/** All at once. Only those that hang have little time: the machine may be busy. */
async function create(...names: readonly string[]): Promise<void> {
  const startTimeout = (id: string): string => (['hanging', 'stubborn', 'leaving-late'].includes(id) ? '1s' : '60s')
  const primitive = (id: string): string =>
    `<primitive id="${id}" class="ocf" provider="bad" type="${id}"><operations><op id="${id}-start" name="start" interval="0" timeout="${startTimeout(id)}"/><op id="${id}-monitor" name="monitor" interval="200ms" timeout="60s"/></operations></primitive>`
  const xml = `<resources>${names.map(primitive).join('')}</resources>`
  await lab.inNode('n1', file('systole/shims/cibadmin'), '--replace', '--scope', 'resources', '--xml-text', xml)
}

async function failuresSeen(): Promise<readonly Failure[]> {
  return (JSON.parse(await lab.systole('n1', 'status', '--json')) as { readonly failures: readonly Failure[] }).failures
}

for (const { name, agent, told, exitCode } of badAgents)
  test(name, async () => {
    const text = told.replace('@', agentPath(agent))
    const lineAbout = (list: string): string | undefined =>
      list
        .split('Failed Resource Actions:')[1]
        ?.split('\n')
        .find((line) => line.includes(`* ${agent} `))
    expect(lineAbout(status)).toContain(text)
    expect(lineAbout(monitor)).toContain(text)
    expect(await lab.systole('n1', 'why', agent)).toContain(text)
    expect(failures).toContainEqual(expect.objectContaining({ resource: agent, node: 'n1', exitCode }))
  })

test('their neighbour and the daemon go on untouched, and nothing of what they printed piles up', async () => {
  await neighbourIsUntouched()
  const sizes = await inShell('find /run/systole -ignore_readdir_race -type f -printf "%s\\n"')
  for (const size of sizes.split('\n')) expect(Number(size)).toBeLessThan(8 * 1024 * 1024)
  expect(statSync(join(lab.folder, 'nodes/n1/systoled.log')).size).toBeLessThan(1024 * 1024)
})

test('what an agent printed is shown with its operation, without secrets, and by why where it has failed', async () => {
  install(
    'talking',
    `[ "$1" = start ] && { seq 1 30; echo "port=$OCF_RESKEY_port password=$OCF_RESKEY_password"; printf 'red \\033[31m\\n'; echo 'to stderr' >&2; exit 1; }`,
    metadata.replace(
      '<parameter name="port">',
      '<parameter name="password"><content type="string"/></parameter><parameter name="port">',
    ),
  )
  const created = ['resource', 'create', 'talking', 'ocf:bad:talking', 'port=8080', 'password=Eethoh4a']
  await lab.systole('n1', ...created)
  await lab.until('it has failed', async () => (await failuresSeen()).some(({ resource }) => resource === 'talking'))
  const text = await lab.systole('n1', 'resource', 'history', 'talking', '--failed')
  expect(text).toMatch(/ n1 {2}start talking: FAILED \(error, 1, expected 0\) in /)
  expect(text).toContain('  | [13 lines before; --full shows them]\n')
  expect(text).toContain('  | port=8080 password=******\n')
  expect(text).toContain('  | to stderr\n')
  expect(text).not.toContain('\u001b')
  expect(text).not.toContain('Eethoh4a')
  expect(await lab.systole('n1', 'resource', 'history', 'talking', '--node=n2')).toContain('No operations of talking')
  expect(
    (await lab.systole('n1', 'resource', 'history', 'talking', '--most=1', '--node=n1')).match(/ n1 {2}/g),
  ).toHaveLength(1)
  expect(await lab.systole('n1', 'resource', 'history', 'talking', '--full')).toContain('  | 1\n  | 2\n')
  const { operations } = JSON.parse(await lab.systole('n1', 'resource', 'history', 'talking', '--json')) as {
    readonly operations: readonly { readonly operation: string; readonly failed: boolean; readonly output: string }[]
  }
  expect(operations.find(({ operation }) => operation === 'start')).toMatchObject({
    failed: true,
    output: expect.stringMatching(/^1\n2\n/),
  })
  expect(operations[0]).toMatchObject({ operation: 'monitor', failed: false, node: 'n1' })
  const why = await lab.systole('n1', 'why', 'talking')
  expect(why).toContain('  The agent printed at this start on n1:\n')
  expect(why).toContain('    | to stderr\n')
  expect(await inShell('grep -c Eethoh4a /var/lib/systole/operations || true')).toBe('0')
  expect(await lab.try('n1', 'resource', 'history', 'talkin')).toBeUndefined()
  expect(lab.lastFailure).toContain("There is no resource 'talkin'. Did you mean 'talking'?")
})

test('one that may not be executed is refused with the name of its file', async () => {
  install('locked', '')
  chmodSync(agentPath('locked'), 0o644)
  expect(await lab.try('n1', 'resource', 'create', 'locked', 'ocf:bad:locked')).toBeUndefined()
  expect(lab.lastFailure).toContain(`make ${agentPath('locked')} executable (chmod +x)`)
})

test('one that an administrator runs has as much time as the cluster gives it, and its end is told in words', async () => {
  expect(await lab.systole('n1', 'resource', 'debug-monitor', 'steady')).toContain('It ended with 0 (OK)')
  expect(await inShell('systole resource debug-start hanging --force || true')).toContain(
    'It ended with 1 (Error occurred, timeout): start did not complete within 1s',
  )
})

test('one that fails again and again keeps no other from its start', async () => {
  install('flapping', '[ "$1" = monitor ] && [ -e $state ] && exit 1')
  install('waiting', '')
  await lab.systole('n1', 'property', 'set', 'node-action-limit=1')
  await create('steady', 'flapping')
  await lab.until('it has failed', async () => (await failuresSeen()).some(({ resource }) => resource === 'flapping'))
  await lab.systole('n1', 'resource', 'create', 'waiting', 'ocf:bad:waiting')
  await started('waiting')
  await lab.systole('n1', 'property', 'set', 'node-action-limit=')
  await neighbourIsUntouched()
})

test('one that takes long to start holds up nobody else', async () => {
  const mayEnd = file('slow.done')
  install('slow', `[ "$1" = start ] && until [ -e ${mayEnd} ]; do sleep 0.1; done`)
  install('quick', '')
  await create('steady', 'slow')
  await lab.until('it starts', () => existsSync(file('slow.calls')) && calls('slow').includes('start'))
  await lab.systole('n1', 'resource', 'create', 'quick', 'ocf:bad:quick')
  await started('quick')
  expect(existsSync(file('slow.state'))).toBe(false)
  writeFileSync(mayEnd, '')
  await started('slow')
  expect(calls('slow').filter((call) => call === 'start')).toHaveLength(1)
  await neighbourIsUntouched()
})

test('one that prints broken metadata is refused with the place of the mistake; forced, it runs and is remarked upon', async () => {
  install('undescribed', '', '<resource-agent name="x"><parameters>')
  expect(await lab.try('n1', 'resource', 'create', 'undescribed', 'ocf:bad:undescribed')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/The metadata of ocf:bad:undescribed cannot be used: line \d+, column \d+: /)
  await lab.systole('n1', 'resource', 'create', 'undescribed', 'ocf:bad:undescribed', '--force')
  await started('undescribed')
  const remark = 'The metadata of ocf:bad:undescribed cannot be used: line '
  expect(await lab.systole('n1', 'status')).toContain(`  * undescribed on n1: ${remark}`)
  expect(await lab.systole('n1', 'why', 'undescribed')).toContain(`    n1: ${remark}`)
  await neighbourIsUntouched()
})

test('what an agent leaves running is the service, unless the agent ran out of time', async () => {
  const leaves = (name: string): string => `[ "$1" = start ] && { sleep 600 & echo $! >${file(`${name}.pid`)}; }`
  const alive = async (name: string): Promise<boolean> =>
    (await inShell(`kill -0 $(cat ${file(`${name}.pid`)}) 2>/dev/null && echo yes || true`)) === 'yes'
  install('leaving', leaves('leaving'))
  install('leaving-late', `${leaves('leaving-late')}\n[ "$1" = start ] && wait`)
  await create('steady', 'leaving', 'leaving-late')
  await lab.until('one has started and one has failed', async () => {
    const failed = (await failuresSeen()).map(({ resource }) => resource)
    return failed.includes('leaving-late') && (await lab.whereIs('leaving', 'n1')).length === 1
  })
  expect([await alive('leaving'), await alive('leaving-late')]).toEqual([true, false])
  const late = 'start did not complete within 1s'
  expect(await lab.systole('n1', 'status')).toMatch(new RegExp(`\\* leaving-late .*${late}`))
  expect(await lab.systole('n1', 'why', 'leaving-late')).toContain(late)
  await inShell(`kill $(cat ${file('leaving.pid')})`)
  await neighbourIsUntouched()
})

test('one that is replaced while it runs: what runs ends as it began, then the new one is asked', async () => {
  const isReplaced = file('replaced.done')
  install(
    'replaced',
    `[ "$1" = start ] && { echo begun >>${file('replaced.calls')}; until [ -e ${isReplaced} ]; do sleep 0.05; done; echo old >>${file('replaced.calls')}; }`,
  )
  await lab.systole('n1', 'resource', 'create', 'replaced', 'ocf:bad:replaced')
  await lab.until('it starts', () => existsSync(file('replaced.calls')) && calls('replaced').includes('begun'))
  // As packages do it: another file takes the name.
  rmSync(agentPath('replaced'))
  install(
    'replaced',
    '[ "$1" = monitor ] && [ -e $state ] && { echo "ocf-exit-reason:I am new" >&2; exit 1; }',
    metadata.replace('name="port"', 'name="gate"'),
  )
  writeFileSync(isReplaced, '')
  await lab.until('the new one is heard', async () => (await lab.systole('n1', 'why', 'replaced')).includes('I am new'))
  expect(calls('replaced')).toContain('old')
  expect(await lab.try('n1', 'resource', 'update', 'replaced', 'port=1')).toBeUndefined()
  expect(lab.lastFailure).toContain("ocf:bad:replaced has no parameter 'port'.")
  await lab.systole('n1', 'resource', 'update', 'replaced', 'gate=1')
  await neighbourIsUntouched()
})

test('one that is written in place for longer than it is waited for is told, and runs again once it is whole', async () => {
  install('written', '')
  await lab.systole('n1', 'resource', 'create', 'written', 'ocf:bad:written')
  await started('written')
  const holding = openSync(agentPath('written'), 'r+')
  try {
    await lab.until('why tells it', async () =>
      (await lab.systole('n1', 'why', 'written')).includes(
        `${agentPath('written')} could not be started: it is being written`,
      ),
    )
  } finally {
    closeSync(holding)
  }
  await lab.systole('n1', 'resource', 'cleanup', 'written')
  await started('written')
  await neighbourIsUntouched()
})

async function started(resource: string): Promise<void> {
  await lab.until(`${resource} runs`, async () => {
    const { resources } = await lab.status('n1')
    return resources.some(({ id, role, failed }) => id === resource && role === 'Started' && !failed)
  })
}

async function inShell(line: string): Promise<string> {
  return (await lab.inNode('n1', 'sh', '-c', line)).trim()
}

async function neighbourIsUntouched(): Promise<void> {
  expect(calls('steady').filter((call) => call !== 'monitor')).toEqual(['start'])
  expect(await lab.whereIs('steady', 'n1')).toEqual(['n1'])
  expect(await daemon()).toBe(daemonAtFirst)
}
