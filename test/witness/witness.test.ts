import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdsForMonths, letExpireSoon } from '../nodes/lab/expiring.ts'
import { Lab } from '../nodes/lab/lab.ts'
import { addWitness, quorum, untilVotes } from '../nodes/lab/witness.ts'

/**
 * What may happen to two nodes and their witness, in its order on one cluster; each scenario begins with three votes. A third node is
 * added once.
 */
const lab = new Lab(['n1', 'n2', 'n3', 'w'])
const nodes = ['n1', 'n2'] as const

async function settle(): Promise<void> {
  await lab.network.heal()
  lab.power.unplugged.clear()
  for (const host of [...nodes, 'w']) await lab.power.on(host)
  // A scenario that failed may have left the nodes without one.
  if ((await quorum(lab, 'n1').catch(() => undefined))?.witness === null) await addWitness(lab, 'n1', 'w')
  await lab.until(
    'both nodes are online and clean, and all three vote',
    async () => {
      const views = await Promise.all(nodes.map((node) => lab.status(node)))
      const votes = await Promise.all(nodes.map((node) => quorum(lab, node)))
      return (
        views.every(
          (view) => view.nodes.length === 2 && view.nodes.every(({ online, unclean }) => online && !unclean),
        ) && votes.every(({ quorate, votes: { present, expected } }) => quorate && present === 3 && expected === 3)
      )
    },
    120_000,
  )
  await lab.systole('n1', 'resource', 'cleanup')
}

async function switchOff(...hosts: readonly string[]): Promise<void> {
  for (const host of hosts) lab.power.unplugged.add(host)
  await Promise.all(hosts.map(async (host) => await lab.power.off(host)))
}

/** Asked of one member, with n1's certificate. */
async function etcd(host: string, ...request: readonly string[]): Promise<string> {
  const pki = '/etc/systole/pki'
  const tls = [`--cacert=${pki}/authority.crt`, `--cert=${pki}/node.crt`, `--key=${pki}/node.key`]
  const endpoint = `--endpoints=https://${lab.network.address(host)}:7702`
  return await lab.inNode('n1', 'env', 'ETCDCTL_API=3', 'etcdctl', endpoint, ...tls, ...request)
}

/** Only the leader gives the lead away. */
async function letLead(host: string): Promise<void> {
  const members = (await etcd('n1', 'member', 'list')).split('\n').map((row) => row.split(', '))
  const id = members.find(([, , name]) => name === host)?.[0] ?? ''
  await lab.until(`${host} leads`, async () => {
    for (const node of nodes) await etcd(node, 'move-leader', id).catch(() => undefined)
    return (await etcd(host, 'endpoint', 'status')).split(', ')[4] === 'true'
  })
}

const runsOn = async (node: string, seenFrom: string): Promise<void> =>
  await lab.until(
    `the service runs on ${node}`,
    async () => (await lab.whereIs('service', seenFrom)).join() === node,
    60_000,
  )

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(nodes)
  await lab.createFencing(nodes)
  await lab.systole('n1', 'resource', 'create', 'service', 'ocf:pacemaker:Dummy')
  await addWitness(lab, 'n1', 'w')
}, 180_000)

afterAll(() => lab.close(), 60_000)

test('either node loses power: the other fences it and runs the service', async () => {
  for (const [victim, survivor] of [
    ['n1', 'n2'],
    ['n2', 'n1'],
  ] as const) {
    await settle()
    await lab.systole(survivor, 'resource', 'move', 'service', victim)
    await runsOn(victim, survivor)
    await switchOff(victim)
    await runsOn(survivor, survivor)
    expect(await quorum(lab, survivor)).toMatchObject({ quorate: true, twoNode: null })
  }
})

test('the nodes lose each other and both reach the witness: one is fenced, and boots into the cluster again', async () => {
  await settle()
  const before = new Map<string, number>(nodes.map((node) => [node, lab.power.pid1(node)]))
  const { nodes: seen } = await lab.status('n1')
  const leader = seen.find(({ dc }) => dc)?.name ?? ''
  const other = leader === 'n1' ? 'n2' : 'n1'
  await lab.network.separate('n1', 'n2')
  await lab.until('the other has booted', () => lab.power.pid1(other) !== before.get(other), 60_000)
  await settle()
  expect(lab.power.pid1(leader)).toBe(before.get(leader))
})

test('a node is cut off from both: it has no quorum and starts nothing, the others fence it', async () => {
  await settle()
  const before = lab.power.pid1('n1')
  await lab.network.split([['n1'], ['n2', 'w']])
  await lab.until('n1 has booted', () => lab.power.pid1('n1') !== before, 60_000)
  await runsOn('n2', 'n2')
  await lab.until('n1 is there and has no quorum', async () => !(await quorum(lab, 'n1')).quorate)
})

test('the daemon of the witness is killed: its vote counts on, and the next daemon adopts it', async () => {
  await settle()
  const daemon = (await lab.inNode('w', 'cat', '/run/systole/systoled.pid')).trim()
  const etcd = await lab.inNode('w', 'pgrep', '-x', 'etcd')
  await lab.inNode('w', 'kill', '-9', daemon)
  await lab.until('it is back', async () =>
    /Vote: +votes/.test(await lab.inNode('w', 'systole', 'qdevice', 'status', 'net')),
  )
  expect(await lab.inNode('w', 'pgrep', '-x', 'etcd')).toBe(etcd)
})

test('all lose power, one node and the witness return: they have quorum, and fence the other before they start anything', async () => {
  await settle()
  await switchOff('n1', 'n2', 'w')
  lab.power.unplugged.delete('n2')
  await Promise.all([lab.power.on('n2'), lab.power.on('w')])
  await runsOn('n2', 'n2')
  expect((await lab.status('n2')).fencing).toContainEqual(
    expect.objectContaining({ target: 'n1', outcome: 'succeeded' }),
  )
})

test('one node and the witness are lost: the other stops, until a person says that both are off', async () => {
  await settle()
  await switchOff('n1', 'w')
  await lab.until('n2 has no quorum', async () => !(await quorum(lab, 'n2')).quorate)
  await lab.until(
    'n2 runs nothing',
    async () => !(await lab.inNode('n2', 'ls', '/run')).includes('Dummy-service.state'),
  )
  expect(await lab.systole('n2', 'quorum', 'unblock', '--yes')).toMatch(/n1, w count as off/)
  await runsOn('n2', 'n2')
  expect(await quorum(lab, 'n2')).toMatchObject({ votes: { present: 1, expected: 1 }, witness: { votes: false } })
})

test('a witness that stays away loses its vote: the rules for two nodes hold again', async () => {
  await settle()
  await switchOff('w')
  await lab.until(
    'only the nodes vote',
    async () => {
      const { votes, twoNode } = await quorum(lab, 'n1')
      return votes.expected === 2 && votes.present === 2 && twoNode?.alone === false
    },
    120_000,
  )
  await switchOff('n2')
  await lab.until('n1 has fenced n2, and votes alone', async () => {
    const { quorate, twoNode } = await quorum(lab, 'n1')
    return quorate && twoNode?.alone === true
  })
  // One node and a witness would be two votes, of which neither may be lost.
  await lab.power.on('w')
  await lab.until('the witness is heard', async () => (await quorum(lab, 'n1')).witness?.state === 'up')
  expect((await quorum(lab, 'n1')).votes.expected).toBe(1)
})

test('a witness that answers and whose member of the store gets to nobody loses its vote, and a note says so', async () => {
  await settle()
  await lab.network.closePorts('w', 7702, 7703)
  await lab.until(
    'only the nodes vote',
    async () => {
      const { votes, witness } = await quorum(lab, 'n1')
      return votes.expected === 2 && witness?.state === 'up'
    },
    120_000,
  )
  expect(await lab.systole('n1', 'status')).toMatch(/w: its daemon answers, .* Ports 7702 and 7703 must be open/)
  await lab.network.heal()
  await lab.systole('w', 'qdevice', 'stop', 'net')
  await lab.systole('w', 'qdevice', 'start', 'net')
  await untilVotes(lab, 'n1', 3)
})

test('a third node takes the vote of the witness, and gives it back', async () => {
  await settle()
  const said = await lab.systole('n1', 'cluster', 'node', 'add', 'n3')
  await lab.inNode('n3', 'bash', '-c', said.split('\n')[1] ?? '')
  const voters = async (): Promise<string> => {
    const { members, witness, votes } = await quorum(lab, 'n1')
    const names = members.filter((member) => member.votes).map(({ node }) => node)
    return `${[...names, ...(witness?.votes ? ['w'] : [])].join(' ')}: ${votes.present} of ${votes.expected}`
  }
  await lab.until('the nodes vote', async () => (await voters()) === 'n1 n2 n3: 3 of 3', 60_000)
  await lab.systole('n1', 'cluster', 'node', 'remove', 'n3')
  await lab.until('the witness votes', async () => (await voters()) === 'n1 n2 w: 3 of 3', 60_000)
})

test('it is not taken out while a node is away, and then it is, and knows of no cluster any more', async () => {
  await settle()
  await lab.systole('n2', 'cluster', 'stop')
  await lab.until('n2 has left', async () => (await quorum(lab, 'n1')).votes.present === 2)
  expect(await lab.try('n1', 'quorum', 'device', 'remove')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/Without w the cluster would lose quorum, because n2 is offline/)
  await lab.systole('n2', 'cluster', 'start')
  await settle()
  // Its member ends at once, and the list that says so can be written only when another leads.
  await letLead('w')
  expect(await lab.inNode('n1', 'pcs', 'quorum', 'device', 'remove')).toMatch(/Removed the witness w from the cluster/)
  expect(await quorum(lab, 'n2')).toMatchObject({
    quorate: true,
    votes: { present: 2, expected: 2 },
    witness: null,
    twoNode: { alone: false },
  })
  await lab.until('w forgets the cluster', async () => (await lab.try('w', 'qdevice', 'status', 'net')) === undefined)
  expect(lab.lastFailure).toMatch(/not a witness/)
  expect((await etcd('n1', 'member', 'list')).trim().split('\n')).toHaveLength(2)
})

test('a member of etcd that the list does not name is taken out, so that another can join', async () => {
  // etcd takes no other member before all that it has have been connected for five seconds.
  await lab.until('etcd has another member', async () => {
    await etcd('n1', 'member', 'add', 'nobody', '--learner', `--peer-urls=https://${lab.network.address('n3')}:7703`)
    return true
  })
  await addWitness(lab, 'n1', 'w')
  expect((await etcd('n1', 'member', 'list')).trim().split('\n')).toHaveLength(3)
})

test('another host takes its place with one command, and gives it back', async () => {
  await settle()
  for (const [host, before] of [
    ['n3', 'w'],
    ['w', 'n3'],
  ] as const) {
    const said = await lab.inNode('n1', 'pcs', 'quorum', 'device', 'update', 'model', `host=${host}`)
    expect(await quorum(lab, 'n2')).toMatchObject({ quorate: true, witness: { name: host, votes: false } })
    await lab.until(
      'the first forgets the cluster',
      async () => (await lab.try(before, 'qdevice', 'status', 'net')) === undefined,
    )
    await lab.inNode(host, 'bash', '-c', said.split('\n')[1] ?? '')
    await untilVotes(lab, 'n2', 3)
    expect((await etcd('n1', 'member', 'list')).trim().split('\n')).toHaveLength(3)
  }
})

test('one that was away when it was taken out does not come back by itself', async () => {
  await settle()
  await switchOff('w')
  await lab.systole('n1', 'quorum', 'device', 'remove')
  lab.power.unplugged.clear()
  await lab.power.on('w')
  await lab.until('its member is out', async () =>
    /have removed its store member/.test(await lab.inNode('w', 'systole', 'qdevice', 'status', 'net')),
  )
  expect(await quorum(lab, 'n1')).toMatchObject({ quorate: true, votes: { present: 2, expected: 2 } })
  await lab.systole('w', 'qdevice', 'destroy', 'net')
  await addWitness(lab, 'n2', 'w')
})

test('one that was away when it was taken out and the authority was replaced believes nobody, and says what to do', async () => {
  await settle()
  await switchOff('w')
  await lab.systole('n1', 'quorum', 'device', 'remove')
  await lab.systole('n1', 'pki', 'rotate')
  await lab.until('the authority is replaced', async () => {
    const { rotation, nodes: members } = JSON.parse(await lab.systole('n1', 'pki', 'status', '--json'))
    return rotation === undefined && members.every(({ trusts }: { trusts: readonly string[] }) => trusts.length === 1)
  })
  lab.power.unplugged.clear()
  await lab.power.on('w')
  await lab.until('it says that the authority is another one', async () =>
    /authority that this host does not know.*`systole qdevice destroy net --force`/.test(
      await lab.inNode('w', 'systole', 'qdevice', 'status', 'net'),
    ),
  )
  expect(await quorum(lab, 'n1')).toMatchObject({ quorate: true, votes: { present: 2, expected: 2 } })
  await lab.systole('w', 'qdevice', 'destroy', 'net', '--force')
  await addWitness(lab, 'n2', 'w')
})

test('it forgets the cluster while it votes only with --force, and is then taken out by a node', async () => {
  await settle()
  expect(await lab.try('w', 'qdevice', 'destroy', 'net')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/counts on the vote of this host/)
  await lab.systole('w', 'qdevice', 'destroy', 'net', '--force')
  await lab.systole('n1', 'quorum', 'device', 'remove')
  expect(await quorum(lab, 'n1')).toMatchObject({ quorate: true, votes: { present: 2, expected: 2 }, witness: null })
  await addWitness(lab, 'n1', 'w')
})

test('it is stopped only with --force, and its vote is missing until it is started', async () => {
  await settle()
  expect(await lab.try('w', 'qdevice', 'stop', 'net')).toBeUndefined()
  expect(lab.lastFailure).toMatch(/counts on the vote of this host/)
  await lab.inNode('w', 'pcs', 'qdevice', 'stop', 'net', '--force')
  await untilVotes(lab, 'n1', 2)
  await lab.inNode('w', 'pcs', 'qdevice', 'disable', 'net')
  await lab.inNode('w', 'pcs', 'qdevice', 'start', 'net')
  await untilVotes(lab, 'n1', 3)
  await lab.power.off('w')
  await lab.power.on('w')
  await lab.until('it waits to be started after a boot', async () =>
    /Started: +no/.test(await lab.inNode('w', 'systole', 'qdevice', 'status', 'net')),
  )
  await lab.inNode('w', 'pcs', 'qdevice', 'enable', 'net')
  await lab.inNode('w', 'pcs', 'qdevice', 'start', 'net')
  await untilVotes(lab, 'n1', 3)
})

test('its certificate is renewed by a node before it runs out, and its vote counts all the time', async () => {
  await settle()
  const pki = join(lab.folder, 'nodes', 'w', 'etc/pki')
  await letExpireSoon(lab, { name: 'w', pki, witnessAt: lab.network.address('w') }, 'n1')
  const daemon = (await lab.inNode('w', 'cat', '/run/systole/systoled.pid')).trim()
  await lab.inNode('w', 'kill', '-9', daemon)
  await lab.until('the certificate holds for years', () => holdsForMonths(pki))
  await untilVotes(lab, 'n1', 3)
  await switchOff('n2')
  await lab.systole('n1', 'resource', 'create', 'after', 'ocf:pacemaker:Dummy', '--wait')
})

test('nothing ever ran on the witness, nobody fenced it, and no daemon has met an error', async () => {
  await settle()
  expect((await lab.status('n1')).fencing.map(({ target }) => target)).not.toContain('w')
  expect(lab.logs(100_000)).not.toMatch(/"level":"error"|Deprecat|DEP0/)
})
