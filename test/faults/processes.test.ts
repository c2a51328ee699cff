import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { notes, type Process, pidOf, shell, signal, storeLeader } from '../nodes/lab/faults.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { beginWithService, clusterFacts, untilServiceIsOn, whatRuns } from '../nodes/lab/links.ts'

/** Processes that stop (SIGSTOP) instead of ending, and files of the daemon that a power cut or a person has torn. */
const lab = new Lab(['n1', 'n2', 'n3'])

beforeAll(async () => {
  await beginWithService(lab)
  await lab.systole('n1', 'constraint', 'location', 'service', 'prefers', 'n2', '--wait')
  await settled()
})

afterAll(() => lab.close())

const tokenMs = 1000
/** There while the service runs. */
const agentsMark = '/run/Dummy-service.state'

const settled = async (): Promise<void> => await untilServiceIsOn(lab, 'n2')

/** Where its agent has left its mark, among the nodes that have power. */
async function activeOn(): Promise<readonly string[]> {
  const nodes = lab.nodes.filter((node) => lab.power.isOn(node))
  const marks = await Promise.all(
    nodes.map(async (node) => [node, await shell(lab, node, `ls ${agentsMark} 2>/dev/null || true`)] as const),
  )
  return marks.flatMap(([node, mark]) => (mark === '' ? [] : [node]))
}

async function stopped(node: string, processes: readonly Process[], work: () => Promise<void>): Promise<void> {
  const pids = await Promise.all(processes.map(async (process) => await pidOf(lab, node, process)))
  const init = lab.power.pid1(node)
  await lab.inNode(node, 'kill', '-STOP', ...pids)
  try {
    await work()
  } finally {
    if (lab.power.isOn(node) && lab.power.pid1(node) === init) await lab.inNode(node, 'kill', '-CONT', ...pids)
  }
}

describe('a daemon that stands still', () => {
  test('for less than the token is not missed', async () => {
    const before = await whatRuns(lab, 'n1')
    await stopped('n2', ['systoled'], async () => await delay(tokenMs * 0.6))
    await settled()
    // It doubts its lease until that is confirmed.
    expect(await whatRuns(lab, 'n1')).toEqual({ ...before, quorumLosses: expect.anything() })
    expect(lab.logs(10_000)).not.toContain('stops resources without the DC')
  })

  for (const processes of [['systoled'], ['systoled', 'etcd']] as const)
    test(`for longer is fenced before its service starts elsewhere (${processes.join(' and ')})`, async () => {
      const init = lab.power.pid1('n2')
      await stopped('n2', processes, async () => {
        await lab.until('the service runs elsewhere', async () => {
          const [where = 'n2'] = await lab.whereIs('service', 'n1')
          if (where !== 'n2') expect(lab.power.isOn('n2') && lab.power.pid1('n2') === init).toBe(false)
          return where !== 'n2'
        })
      })
      await settled()
    })

  test('for long, where nobody can fence it, finds itself lost when it goes on, and nothing ever runs twice', async () => {
    lab.power.brokenControllers.add('n2')
    try {
      await stopped('n2', ['systoled', 'etcd'], async () => {
        await lab.until('its fencing has failed', async () =>
          (await lab.status('n1')).fencing.some(({ target, outcome }) => target === 'n2' && outcome === 'failed'),
        )
        // Longer than its lease.
        await delay(6000)
        expect(await activeOn()).toEqual(['n2'])
      })
      await lab.until('n2 knows that it is not alone', async () => (await clusterFacts(lab, 'n2')).quorate, 60_000)
      expect((await activeOn()).length).toBeLessThan(2)
    } finally {
      lab.power.brokenControllers.delete('n2')
    }
    await lab.until('it runs once', async () => {
      const active = await activeOn()
      expect(active.length).toBeLessThan(2)
      return active.length === 1
    })
    await settled()
  })
})

describe('a member of the store that stands still', () => {
  for (const which of ['the leader', 'another one'] as const)
    test(`costs nothing but its vote, and is told (${which})`, async () => {
      const leader = await storeLeader(lab)
      const node = which === 'the leader' ? leader : (lab.nodes.find((other) => other !== leader) ?? '')
      const before = await whatRuns(lab, 'n1')
      await stopped(node, ['etcd'], async () => {
        for (const asked of lab.nodes)
          await lab.systole(asked, 'resource', 'update', 'service', `fake=${asked}`, '--wait')
        for (const asked of lab.nodes)
          await lab.until(
            'status says so',
            async () => (await notes(lab, asked)).includes(`On ${node}: etcd (process`),
            60_000,
          )
      })
      await lab.until('nothing is said any more', async () => !(await notes(lab, 'n1')).includes('etcd'), 60_000)
      expect(await whatRuns(lab, 'n1')).toEqual({ ...before, starts: expect.anything() })
    })
})

test('a daemon without room for another open file ends with that reason, and the next one has it again', async () => {
  const log = join(lab.folder, 'nodes/n2/systoled.log')
  await shell(lab, 'n2', `prlimit --pid ${await pidOf(lab, 'n2', 'systoled')} --nofile=4`)
  const reason =
    /EMFILE[^\n]*"msg":"the daemon ends without room for another file or process"}\n[\s\S]*"msg":"daemon started"/
  await lab.until('another daemon has started', () => reason.test(readFileSync(log, 'utf8')))
  expect(readFileSync(log, 'utf8')).not.toContain('because of a bug')
  // On a busy machine it may come too late for its node not to be fenced.
  await settled()
})

test('a fence agent that stands still is ended at its time limit, and fencing is tried until it succeeds', async () => {
  await lab.systole('n1', 'stonith', 'update', 'fence-n2', 'pcmk_off_timeout=4s', '--wait')
  const init = lab.power.pid1('n2')
  // Every fence agent that begins from now on is stopped, on every node.
  const watcher = 'while [ -e /run/stop-agents ]; do pkill -STOP -f "[f]ence_ipmilan"; sleep 0.02; done'
  const others = ['n1', 'n3']
  const watchers = others.map(async (node) => await shell(lab, node, `touch /run/stop-agents; ${watcher}`))
  const failures = async () =>
    (await lab.status('n1')).fencing.filter(({ target, outcome }) => target === 'n2' && outcome === 'failed').length
  const before = await failures()
  await lab.network.link('n2', 'down')
  await lab.until('a fencing has failed', async () => (await failures()) > before, 60_000)
  expect(lab.power.pid1('n2')).toBe(init)
  expect(await lab.whereIs('service', 'n1')).toEqual(['n2'])
  for (const node of others) await shell(lab, node, 'rm /run/stop-agents')
  await Promise.all(watchers)
  await lab.until('it is fenced', () => !lab.power.isOn('n2') || lab.power.pid1('n2') !== init, 60_000)
  await lab.network.heal()
  await settled()
  await lab.systole('n1', 'stonith', 'update', 'fence-n2', 'pcmk_off_timeout=', '--wait')
})

describe('a file of the daemon that is torn', () => {
  /** The node's disk as the host sees it, whether or not the node has power. */
  const onDisk = (node: string, file: string) => join(lab.folder, 'nodes', node, 'etc', file)

  async function daemonEndsBecause(sentence: RegExp): Promise<void> {
    await signal(lab, 'n2', 'systoled', 'KILL')
    const log = join(lab.folder, 'nodes/n2/systoled.log')
    await lab.until(`the log of n2 says ${sentence}`, () => sentence.test(readFileSync(log, 'utf8')))
    await lab.until('the others have taken over', async () => (await lab.whereIs('service', 'n1'))[0] !== 'n2')
  }

  test('cluster.json: the daemon says so, and the one of another node will do', async () => {
    const [torn, whole] = [onDisk('n2', 'cluster.json'), onDisk('n1', 'cluster.json')]
    expect(readFileSync(torn, 'utf8')).toBe(readFileSync(whole, 'utf8'))
    truncateSync(torn, 300)
    await daemonEndsBecause(
      /"why":"\/etc\/systole\/cluster\.json: cluster\.json is not JSON: [^"]*copy the file from another node/,
    )
    copyFileSync(whole, torn)
    await settled()
  })

  const parts: readonly { readonly name: string; readonly damage: (file: string) => void; readonly says: string }[] = [
    { name: 'node.key', damage: (file) => truncateSync(file, 40), says: 'it is damaged' },
    { name: 'node.crt', damage: (file) => truncateSync(file), says: 'it is damaged' },
    { name: 'authority.crt', damage: (file) => rmSync(file), says: 'it is missing' },
  ]
  for (const { name, damage, says } of parts)
    test(`pki/${name}: the daemon says so, and is back with the whole file`, async () => {
      const file = onDisk('n2', `pki/${name}`)
      const whole = readFileSync(file)
      damage(file)
      await daemonEndsBecause(new RegExp(`"why":"/etc/systole/pki/${name} cannot be used: ${says}\\. Restore it`))
      writeFileSync(file, whole)
      await settled()
    })

  test('all of pki: the node is removed and added again, as the daemon says', async () => {
    rmSync(onDisk('n2', 'pki'), { recursive: true })
    await daemonEndsBecause(/remove this node on another one/)
    await lab.systole('n1', 'cluster', 'node', 'remove', 'n2')
    rmSync(onDisk('n2', 'cluster.json'))
    await lab.until('its daemon is there', async () => (await lab.try('n2', 'cluster', 'status')) !== undefined)
    const line = ['cluster', 'node', 'add', 'n2', `addr=${lab.network.address('n2')}`, '--json']
    const { joinToken } = JSON.parse(await lab.systole('n1', ...line)) as { readonly joinToken: string }
    await lab.systole('n2', 'cluster', 'join', lab.network.address('n1'), '--token', joinToken, '--start')
    await lab.until('it is back', async () => {
      const { members } = await clusterFacts(lab, 'n1')
      return members.length === 3 && members.every(({ state }) => state === 'member')
    })
  })
})
