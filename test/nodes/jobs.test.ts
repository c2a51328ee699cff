import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from './lab/lab.ts'

/** Jobs on three nodes, while daemons, clients and nodes die. */
const nodes = ['n1', 'n2', 'n3']
const lab = new Lab(nodes)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
}, 120_000)

afterAll(() => lab.close(), 60_000)

interface Job {
  readonly id: string
  readonly state: string
  readonly exitCode: number
  readonly nodes: readonly { readonly node: string; readonly state: string; readonly exitCode?: number }[]
}

const file = (name: string): string => join(lab.folder, name)
/** One line for each time that a command began. */
const begun = (name: string): readonly string[] =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').trim().split('\n').sort() : []
const say = (name: string): string => `echo $SYSTOLE_NODE >> ${file(name)}`
const awaits = (name: string): string => `while [ ! -e ${file(name)} ]; do sleep 0.1; done`
const go = (name: string): void => writeFileSync(file(name), '')

const detached = async (from: string, script: string, ...options: readonly string[]): Promise<string> => {
  const text = await lab.systole(from, 'job', 'run', ...options, '--detach', '--json', '--', 'sh', '-c', script)
  return (JSON.parse(text) as Job).id
}
const job = async (id: string, from = 'n1'): Promise<Job> =>
  JSON.parse(await lab.systole(from, 'job', 'show', id, '--json')) as Job
const states = ({ nodes: of }: Job): Readonly<Record<string, string>> =>
  Object.fromEntries(of.map(({ node, state }) => [node, state]))
const until = async (id: string, state: string, from = 'n1'): Promise<Job> => {
  await lab.until(`job ${id} is ${state}`, async () => (await job(id, from)).state === state, 90_000)
  return await job(id, from)
}

test('the output of every node is shown with its name, and what became of the command there', async () => {
  const shown = await lab.systole('n1', 'job', 'run', '--all', '--', 'sh', '-c', 'echo I am $SYSTOLE_NODE')
  for (const node of nodes) {
    expect(shown).toContain(`${node}: I am ${node}\n`)
    expect(shown).toMatch(new RegExp(`^${node} +succeeded +\\d+\\.\\d\\d s$`, 'm'))
  }
  expect(shown).toMatch(/^Job \w{6}: 3 succeeded\.$/m)
  await lab.systole('n1', 'role', 'add', 'db', 'n3')
  await lab.until('n2 knows the role', async () => (await lab.systole('n2', 'role', 'list', 'db')).includes('n3'))
  expect(await lab.systole('n2', 'job', 'run', '--on=role=db', '--', 'echo', 'db')).toMatch(/^n3: db\nn3 +succeeded/)
  const fails = lab.systole('n1', 'job', 'run', '--on=n3,n2', '--serial=1', '--', 'sh', '-c', 'echo no >&2; exit 5')
  await expect(fails).rejects.toMatchObject({
    cause: {
      code: 1,
      stdout: expect.stringMatching(
        /^n3: no\nn3 +failed with exit code 5 .*\nn2 +not run: too many other nodes had failed\n/,
      ) as unknown,
    },
  })
  expect(await lab.systole('n2', 'job', 'list')).toMatch(/root@n1 +1 failed, 1 not run\. +sh -c 'echo no >&2; exit 5'/)
})

test('a command gets input and environment, runs out of time, and only a part of its output is kept', async () => {
  const script = 'echo $GREETING; cat; seq 1 2000'
  const options = [
    '--on=n2,n3',
    '--parallel=1',
    '--env=GREETING=hello',
    '--stdin',
    '--max-output=1024',
    '--detach',
    '--json',
  ]
  const run = `echo typed | systole job run ${options.join(' ')} -- sh -c '${script}'`
  const { id } = JSON.parse(await lab.inNode('n1', 'bash', '-c', run)) as Job
  await until(id, 'done')
  const output = await lab.systole('n1', 'job', 'output', id, '--on=n3')
  expect(output).toMatch(/^n3: hello\nn3: typed\nn3: 1\n/)
  expect(output).toMatch(/n3: \[\.\.\. \d+ bytes of output were dropped here \.\.\.\]\n/)
  expect(output).toMatch(/n3: 2000\n$/)
  expect(output.length).toBeLessThan(4000)
  expect(output).not.toContain('n2: ')
  writeFileSync(file('commands'), '# Three of these run.\ncd /tmp; X=1\n\necho $PWD [$X]\n(exit 7)\necho never\n')
  const lines = lab.systole('n1', 'job', 'run', '--on=n2', `--commands=${file('commands')}`)
  await expect(lines).rejects.toMatchObject({
    cause: {
      code: 1,
      stdout: expect.stringMatching(/^n2: \/ \[\]\nn2: Exit code 7: \(exit 7\)\nn2 +failed/) as unknown,
    },
  })
  const { jobs: listed } = JSON.parse(await lab.systole('n1', 'job', 'list', '--json')) as {
    readonly jobs: readonly Job[]
  }
  expect(await lab.systole('n3', 'job', 'show', listed[0]?.id ?? '', '--commands')).toMatch(
    /\nn2 +succeeded +\d+ ms +cd \/tmp; X=1\nn2 +succeeded +\d+ ms +echo \$PWD \[\$X\]\nn2 +failed with exit code 7 +\d+ ms +\(exit 7\)\n$/,
  )
  const late = lab.systole('n1', 'job', 'run', '--on=n2', '--timeout=1s', '--max-fail=0', '--', 'sleep', '300')
  await expect(late).rejects.toMatchObject({
    cause: { code: 1, stdout: expect.stringMatching(/^n2 +failed: its time limit had passed/) as unknown },
  })
})

test('a file is copied to the nodes that do not have it, with its mode, and its content is checked', async () => {
  const [source, target] = [file('source'), '/var/lib/systole/copied']
  writeFileSync(source, Buffer.alloc(1_300_000, 'some content\n'))
  const copy = (...more: readonly string[]): Promise<string> =>
    lab.systole('n1', 'job', 'copy', source, `--to=${target}`, '--mode=0640', ...more)
  const sums = async (): Promise<ReadonlySet<string>> =>
    new Set(
      await Promise.all(nodes.map((node) => lab.inNode(node, 'sh', '-c', `md5sum < ${target}; stat -c %a ${target}`))),
    )
  expect(await copy('--all')).toMatch(/^n1 +succeeded\nn2 +succeeded\nn3 +succeeded\n$/)
  expect([...(await sums())]).toEqual([expect.stringMatching(/\n640\n$/)])
  await lab.inNode('n2', 'sh', '-c', `echo changed >> ${target}`)
  expect(await copy('--all')).toMatch(/^n1 +succeeded: it was there already\nn2 +succeeded\nn3 +.*already\n$/)
  expect((await sums()).size).toBe(1)
  expect(await copy('--on=n3', '--force')).toMatch(/^n3 +succeeded\n$/)
  // What another user owns and runs as himself becomes nothing that everybody runs as root; a link is followed, and a FIFO holds nobody up.
  await lab.inNode(
    'n1',
    'sh',
    '-c',
    'echo x >/run/own; chown 1000 /run/own; chmod 4755 /run/own; ln -s own /run/link; mkfifo /run/fifo',
  )
  await lab.systole('n1', 'job', 'copy', '/run/link', '--on=n2', '--to=/run/copied')
  expect(await lab.inNode('n2', 'stat', '-c', '%u %a %F', '/run/copied')).toBe('0 755 regular file\n')
  await lab.systole('n1', 'job', 'copy', '/run/link', '--on=n2', '--to=/run/copied', '--mode=4755')
  expect(await lab.inNode('n2', 'stat', '-c', '%a', '/run/copied')).toBe('4755\n')
  expect(await lab.try('n1', 'job', 'copy', '/run/fifo', '--on=n2', '--to=/run/copied')).toBeUndefined()
  expect(lab.lastFailure).toContain('/run/fifo is not a file')
  await expect(lab.systole('n1', 'job', 'copy', source, '--on=n2', '--to=/no/folder/x')).rejects.toMatchObject({
    cause: { code: 1, stdout: expect.stringContaining('/no/folder/x cannot be written') as unknown },
  })
  expect(await lab.systole('n3', 'job', 'list')).toMatch(/3 succeeded\. +systole job copy --to=\/var\/lib/)
})

test('a large file is in no memory as a whole: not of the command, nor of a daemon', async () => {
  const [source, mebibytes, most] = [file('large'), 128, 96]
  for (let at = 0; at < mebibytes; at++) appendFileSync(source, Buffer.alloc(1024 * 1024, `${at} `))
  const daemon = async (node: string, script: string): Promise<string> =>
    await lab.inNode(node, 'sh', '-c', `cd /proc/$(cat /run/systoled.pid) && ${script}`)
  /** The most that it had since it was asked to begin anew. */
  const peak = async (node: string): Promise<number> =>
    Number(/VmHWM:\s+(\d+)/.exec(await daemon(node, 'cat status'))?.[1]) / 1024
  const measured =
    'import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
  const command = async (...words: readonly string[]): Promise<number> =>
    Number(await lab.inNode('n1', 'python3', '-c', measured, 'systole', 'job', ...words)) / 1024
  const both = ['n1', 'n2']
  for (const node of both) await daemon(node, 'echo 5 > clear_refs')
  const before = await Promise.all(both.map(peak))
  const small = await command('list')
  const large = await command('copy', source, '--on=n2', '--to=/var/lib/systole/large')
  expect(await lab.inNode('n2', 'sh', '-c', `cmp ${source} /var/lib/systole/large && rm /var/lib/systole/large`)).toBe(
    '',
  )
  rmSync(source)
  const grown = (await Promise.all(both.map(peak))).map((value, at) => value - (before[at] ?? 0))
  for (const value of [...grown, large - small]) expect(value, `${[...grown, large - small]}`).toBeLessThan(most)
}, 240_000)

test('a job goes on when its client is killed, a daemon of a node, and the DC; it runs once on each node, or with --once on one', async () => {
  const script = `${say('survives')}; ${awaits('go')}; echo ended`
  const words = `systole job run --all --timeout=5min -- sh -c '${script}'`
  const client = lab.inNode('n2', 'bash', '-c', `${words} & echo $! > ${file('client')}; wait $!`).catch(() => 'killed')
  await lab.until('it runs on all nodes', () => begun('survives').length === 3)
  const pid = readFileSync(file('client'), 'utf8').trim()
  await lab.inNode('n2', 'kill', '-9', pid)
  expect(await client).toBe('killed')
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const [other = '', third = ''] = nodes.filter((node) => node !== dc)
  // The DC's daemon dies and its host stays, with the command: the next DC finds it there, and begins it nowhere else.
  const once = await detached(other, `${say('one')}; ${awaits('go')}`, `--on=${dc},${third}`, '--once')
  await lab.until('it runs on the DC', () => begun('one').length === 1)
  for (const node of [other, dc]) await lab.inNode(node, 'bash', '-c', 'kill -9 $(cat /run/systoled.pid)')
  go('go')
  const { jobs } = JSON.parse(await listOf(third)) as { readonly jobs: readonly Job[] }
  const id = jobs.find(({ id: one, state }) => state !== 'done' && one !== once)?.id ?? ''
  const ended = await until(id, 'done', third)
  expect(states(await until(once, 'done', third))).toMatchObject({ [dc]: 'succeeded' })
  expect(begun('one')).toEqual([dc])
  expect(states(ended)).toEqual({ n1: 'succeeded', n2: 'succeeded', n3: 'succeeded' })
  expect(begun('survives')).toEqual(nodes)
  const output = await lab.systole(third, 'job', 'output', id)
  expect(output.split('\n').sort()).toEqual(['', ...nodes.map((node) => `${node}: ended`)])
}, 120_000)

/** A node whose daemon was killed may have no quorum for a moment. */
async function listOf(node: string): Promise<string> {
  let text: string | undefined
  await lab.until('the jobs are listed', async () => {
    text = await lab.try(node, 'job', 'list', '--json')
    return text?.includes('active') === true
  })
  return text ?? ''
}

test('the log names a job without the secrets of its command', async () => {
  await lab.systole('n1', 'job', 'run', '--on=n1,n2', '--', 'true', 'login=shop', 'passwd=hunter2')
  const named = (what: string): boolean => new RegExp(`login=shop.*${what}`).test(lab.logs(100_000))
  await lab.until('all is in the log', () =>
    ['a job begins', 'a task has changed', 'a job has ended'].every((what) => named(what)),
  )
  expect(lab.logs(100_000)).not.toContain('hunter2')
})

test('a job is cancelled, waits for its lock, and for nodes that are offline', async () => {
  await lab.systole('n1', 'lock', 'acquire', 'upgrade', '--owner=me')
  const waits = await detached('n1', `${say('locked')}; exec sleep 300`, '--on=n2', '--lock=upgrade')
  expect(await lab.systole('n3', 'job', 'show', waits)).toContain('waits for the lock upgrade')
  await lab.systole('n1', 'lock', 'release', 'upgrade', '--owner=me')
  await lab.until('it runs', () => begun('locked').length === 1)
  const locks = await lab.systole('n3', 'lock', 'list', '--json')
  expect(locks).toContain(waits)
  // Every user may list locks, but not read jobs.
  expect(locks).not.toContain('sleep 300')
  expect(await lab.systole('n3', 'lock', 'list')).toContain(`held by job ${waits}`)
  await lab.systole('n3', 'job', 'cancel', waits)
  expect(await until(waits, 'done')).toMatchObject({ exitCode: 130 })
  expect(await lab.systole('n1', 'lock', 'list')).toBe('No locks are held.\n')
  const words = `systole job run --on=n2 -- sh -c '${say('typed')}; exec sleep 300'`
  const typed = lab.inNode('n1', 'bash', '-c', `${words} & echo $! > ${file('typing')}; wait $!`)
  const interrupted = expect(typed).rejects.toMatchObject({ cause: { code: 130 } })
  await lab.until('it runs', () => begun('typed').length === 1)
  await lab.inNode('n1', 'kill', '-INT', readFileSync(file('typing'), 'utf8').trim())
  await interrupted
  await lab.systole('n3', 'cluster', 'stop')
  const offline = lab.systole('n1', 'job', 'run', '--on=n1,n3', '--', 'true')
  await expect(offline).rejects.toMatchObject({
    cause: { code: 3, stderr: expect.stringContaining('not online: n3') as unknown },
  })
  const queued = await detached('n1', say('queued'), '--on=n1,n3', '--queue')
  await lab.until('n1 has run it', async () => states(await job(queued)).n1 === 'succeeded')
  expect(await lab.systole('n1', 'job', 'show', queued)).toContain('waits until the node is online')
  await lab.systole('n3', 'cluster', 'start')
  expect(states(await until(queued, 'done'))).toEqual({ n1: 'succeeded', n3: 'succeeded' })
  expect(begun('queued')).toEqual(['n1', 'n3'])
}, 120_000)

test('nobody but root runs or reads jobs and rollouts: not the group haclient, nor hacluster', async () => {
  chmodSync(lab.folder, 0o755)
  const rollout = { rollout: 'x', version: '1', nodes: 'all', steps: { actions: [{ run: 'id' }] } }
  writeFileSync(file('rollout.yaml'), JSON.stringify(rollout))
  const calls = [
    ['job', 'run', '--all', '--', 'id'],
    ['job', 'list'],
    ['job', 'copy', '/etc/hostname', '--all', '--to=/etc/copied'],
    ['rollout', 'start', file('rollout.yaml'), '--force'],
    ['rollout', 'abort', 'r1'],
    ['rollout', 'history'],
  ]
  for (const who of ['--reuid=12345', '--reuid=hacluster']) {
    const as = ['setpriv', who, '--regid=haclient', '--clear-groups', 'systole']
    for (const words of calls)
      await expect(lab.inNode('n1', ...as, ...words)).rejects.toMatchObject({
        cause: { code: 1, stderr: expect.stringContaining('only root may run and read them') as unknown },
      })
  }
})

test('of two nodes that lose power, one had begun and is lost, and for --once another node takes the place of one that had not', async () => {
  const dc = (await lab.status('n1')).nodes.find((node) => node.dc)?.name ?? ''
  const [victim = '', other = ''] = nodes.filter((node) => node !== dc)
  const runs = await detached(dc, `${say('cut')}; exec sleep 300`, `--on=${victim}`)
  await lab.until('it runs', () => begun('cut').length === 1)
  // It cannot claim what comes now, and the others do not know that yet.
  await lab.inNode(victim, 'bash', '-c', 'kill -STOP $(cat /run/systoled.pid)')
  const once = await detached(dc, say('once'), `--on=${victim},${other}`, '--once')
  await lab.power.off(victim)
  expect(states(await until(runs, 'done', dc))).toEqual({ [victim]: 'lost' })
  expect(states(await until(once, 'done', dc))).toEqual({ [victim]: 'offline', [other]: 'succeeded' })
  await lab.until('it is back', async () => (await lab.status(dc)).nodes.every(({ online }) => online), 90_000)
  // Whatever it may have taken for its own by now: neither begins there.
  const runsOne = async (): Promise<boolean> =>
    await lab.systole(victim, 'job', 'run', `--on=${victim}`, '--', 'true').then(
      () => true,
      () => false,
    )
  await lab.until('it runs jobs again', runsOne, 60_000)
  expect(begun('cut')).toEqual([victim])
  expect(begun('once')).toEqual([other])
}, 180_000)
