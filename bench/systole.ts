/** Systole's rows. Each measurement makes its own cluster and takes it away again. All figures are in the row's unit. */
import { setTimeout as delay } from 'node:timers/promises'
import { BenchLab, type Fencing } from './bench-lab.ts'
import { type IdleNode, idleNodes } from './idle.ts'
import { UdpClient } from './udp-client.ts'

const three = ['n1', 'n2', 'n3']

async function withLab<T>(fencing: Fencing, measure: (lab: BenchLab) => Promise<T>): Promise<T> {
  const lab = await BenchLab.form(three, fencing)
  try {
    return await measure(lab)
  } finally {
    await lab.close()
  }
}

async function createService(lab: BenchLab): Promise<void> {
  const vip = [
    'ocf:heartbeat:IPaddr2',
    `ip=${lab.network.virtualAddress}`,
    'cidr_netmask=24',
    'nic=eth0',
    'op',
    'monitor',
    'interval=10s',
  ]
  await lab.systole('n1', 'resource', 'create', 'vip', ...vip, '--group', 'g')
  const server = ['ocf:bench:udpsrv', 'op', 'monitor', 'interval=10s', '--group', 'g']
  await lab.systole('n1', 'resource', 'create', 'srv', ...server, '--wait')
}

async function coordinator(lab: BenchLab, seenFrom: string): Promise<string> {
  return (await lab.state(seenFrom)).dc ?? ''
}

/** Seconds between the last answer of the lost node and the first of another, for each of some power cuts. */
export async function serviceGap(options: {
  readonly lost: 'ordinary' | 'dc'
  readonly fencing: Fencing
  readonly runs: number
}): Promise<readonly number[]> {
  return await withLab(options.fencing, async (lab) => {
    await createService(lab)
    const client = new UdpClient(lab.network.clientSpace, lab.network.virtualAddress)
    const gaps: number[] = []
    try {
      for (let run = 0; run < options.runs; run++) gaps.push(await oneGap(lab, client, options.lost, run))
    } finally {
      await client.close()
    }
    return gaps
  })
}

async function oneGap(lab: BenchLab, client: UdpClient, lost: 'ordinary' | 'dc', run: number): Promise<number> {
  const dc = await coordinator(lab, lab.first)
  const ordinary = three.filter((node) => node !== dc)
  const victim = lost === 'dc' ? dc : (ordinary[run % ordinary.length] ?? '')
  if (!(await lab.whereIs('srv', dc)).includes(victim)) await lab.systole(dc, 'resource', 'move', 'g', victim, '--wait')
  await lab.until('the victim answers', () => client.last?.node === victim && Date.now() - client.last.time < 200)
  await delay(1000 + Math.random() * 1000)
  const cut = Date.now()
  await lab.power.off(victim)
  const survivor = three.find((node) => node !== victim) ?? ''
  await lab.until('another node answers', () => client.takeover(cut) !== undefined)
  const gap = client.takeover(cut)
  await lab.until('the node is fenced', async () => {
    const { fencing } = await lab.state(survivor)
    return fencing.some(({ target, outcome }) => target === victim && outcome === 'succeeded')
  })
  await lab.power.on(victim)
  await lab.until(
    'the node is back',
    async () => (await lab.state(survivor)).members.every(({ state }) => state === 'member'),
    60_000,
  )
  await lab.settled(survivor)
  return gap ? (gap.to - gap.from) / 1000 : Number.NaN
}

/** Seconds from power on of three configured nodes until all are online and there is a DC. */
export async function formation(runs: number): Promise<readonly number[]> {
  return await withLab('netns', async (lab) => {
    const seconds: number[] = []
    for (let run = 0; run < runs; run++) {
      for (const node of three) await lab.power.off(node)
      const begun = Date.now()
      await Promise.all(three.map((node) => lab.power.on(node)))
      await lab.until(
        'all nodes are online',
        async () => {
          const { members, dc } = await lab.state(lab.first)
          return members.length === 3 && members.every(({ state }) => state === 'member') && dc !== undefined
        },
        60_000,
      )
      seconds.push((Date.now() - begun) / 1000)
      await lab.settled(lab.first)
    }
    return seconds
  })
}

/** Seconds from the failed monitor until the agent's start has ended. */
export async function recovery(runs: number): Promise<readonly number[]> {
  return await withLab('netns', async (lab) => {
    await lab.systole('n1', 'resource', 'create', 'p1', 'ocf:bench:probe', 'op', 'monitor', 'interval=1s', '--wait')
    const seconds: number[] = []
    for (let run = 0; run < runs; run++) {
      await delay(1500 + Math.random() * 1000)
      const [node = ''] = await lab.whereIs('p1', 'n1')
      const begun = Date.now()
      await lab.inNode(node, 'rm', '/run/resource-agents/probe-p1.state')
      const event = (what: string): number | undefined =>
        lab.events(begun).find((stamp) => stamp.resource === 'p1' && stamp.what === what)?.time
      await lab.until('it is started again', () => event('start-done') !== undefined)
      seconds.push(((event('start-done') ?? Number.NaN) - (event('monitor-fail') ?? Number.NaN)) / 1000)
      await lab.settled('n1')
      await lab.systole('n1', 'resource', 'cleanup', 'p1', '--wait')
    }
    return seconds
  })
}

/** CPU milliseconds of all nodes for each action when 200 resources are first started on 3 nodes. */
export async function bulkStart(count = 200): Promise<{ readonly cpuMsPerAction: number; readonly seconds: number }> {
  return await withLab('netns', async (lab) => {
    await lab.settled('n1')
    await ignoreLoad(lab)
    const file = `${lab.folder}/many.xml`
    await lab.systole('n1', 'cluster', 'cib', file)
    await addPrimitives(lab, file, count)
    const [cpuBefore, begun] = [lab.cpuSeconds(), Date.now()]
    await lab.systole('n1', 'cluster', 'cib-push', file)
    await lab.until('all are started', () => startsDone(lab, begun) >= count, 300_000)
    await lab.settled('n1')
    // Probes everywhere, one start and one monitor each.
    const actions = count * (three.length + 1) + count
    return { cpuMsPerAction: ((lab.cpuSeconds() - cpuBefore) * 1000) / actions, seconds: (Date.now() - begun) / 1000 }
  })
}

function startsDone(lab: BenchLab, since: number): number {
  return new Set(
    lab
      .events(since)
      .filter(({ what }) => what === 'start-done')
      .map(({ resource }) => resource),
  ).size
}

/** Writes the primitives into the file without a command for each: the command line is not what is measured. */
async function addPrimitives(lab: BenchLab, file: string, count: number): Promise<void> {
  const primitives = Array.from({ length: count }, (_, index) => primitive(`d${index + 1}`)).join('')
  await lab.inNode(
    'n1',
    'sh',
    '-c',
    `python3 - '${file}' <<'P'\nimport sys\np=sys.argv[1]; s=open(p).read()\ns=s.replace('<resources/>','<resources></resources>').replace('</resources>', '''${primitives}</resources>''')\nopen(p,'w').write(s)\nP`,
  )
}

function primitive(id: string): string {
  const monitor = `<op id="${id}-monitor" name="monitor" interval="10s" timeout="20s"/>`
  return `<primitive id="${id}" class="ocf" provider="bench" type="probe"><operations>${monitor}</operations></primitive>`
}

/** As Pacemaker's measurements have it: the three nodes share the machine's load with everything else on it. */
async function ignoreLoad(lab: BenchLab): Promise<void> {
  await lab.systole('n1', 'property', 'set', 'load-threshold=800%')
}

/** Seconds from `node standby` until the last of 50 resources is started elsewhere. */
export async function standby(runs: number, count = 50): Promise<readonly number[]> {
  return await withLab('netns', async (lab) => {
    await ignoreLoad(lab)
    const file = `${lab.folder}/many.xml`
    await lab.systole('n1', 'cluster', 'cib', file)
    await addPrimitives(lab, file, count)
    await lab.systole('n1', 'cluster', 'cib-push', file, '--wait=120')
    const seconds: number[] = []
    for (let run = 0; run < runs; run++) {
      const [source, target] = run % 2 === 0 ? ['n2', 'n3'] : ['n3', 'n2']
      await prefer(lab, source, target)
      await lab.settled('n1')
      const begun = Date.now()
      await lab.systole('n1', 'node', 'standby', source)
      await lab.until('all are started elsewhere', () => startsDone(lab, begun) >= count, 120_000)
      const last = Math.max(
        ...lab
          .events(begun)
          .filter(({ what }) => what === 'start-done')
          .map(({ time }) => time),
      )
      seconds.push((last - begun) / 1000)
      await lab.systole('n1', 'node', 'unstandby', source, '--wait=120')
    }
    return seconds
  })
}

/** All of them on one node, with a second choice. */
async function prefer(lab: BenchLab, source: string, target: string): Promise<void> {
  const existing = await lab.try('n1', 'constraint', 'delete', 'bench-first', 'bench-second')
  if (existing === undefined && !lab.lastFailure.includes('bench-')) throw new Error(lab.lastFailure)
  await lab.systole('n1', 'constraint', 'location', 'add', 'bench-first', 'regexp%^d', source, '1000')
  await lab.systole('n1', 'constraint', 'location', 'add', 'bench-second', 'regexp%^d', target, '500', '--wait=120')
}

/** Each node while 20 monitored resources run and nothing happens. */
export async function idle(count = 20): Promise<readonly IdleNode[]> {
  return await withLab('netns', async (lab) => {
    const file = `${lab.folder}/many.xml`
    await lab.systole('n1', 'cluster', 'cib', file)
    await addPrimitives(lab, file, count)
    await lab.systole('n1', 'cluster', 'cib-push', file, '--wait=120')
    await delay(settleMs)
    return await idleNodes(new Map(three.map((node) => [node, lab.power.pid1(node)])))
  })
}

/** As long as Pacemaker's cluster has stood by then. */
const settleMs = 65_000

/** Milliseconds of 200 calls of a command on the node that is not the DC, one after another. */
export async function commandTimes(command: readonly string[]): Promise<readonly number[]> {
  return await withLab('netns', async (lab) => {
    const dc = await coordinator(lab, lab.first)
    const node = three.find((name) => name !== dc) ?? lab.first
    const shims = `${lab.folder}/systole/shims`
    // The loop runs inside the node, so that entering it is not measured.
    const printed = await lab.inNode(node, 'python3', '-c', commandLoop, shims, ...command)
    return JSON.parse(printed) as readonly number[]
  })
}

/** As Pacemaker's measurement does it, so that the figures can be compared. */
const commandLoop = `
import json, os, subprocess, sys, time
folder, words = sys.argv[1], sys.argv[2:]
program = os.path.join(folder, words[0]); times = []
for i in range(200):
    begun = time.perf_counter()
    subprocess.run([program] + [word.replace('@I', str(i)) for word in words[1:]], check=True, stdout=subprocess.DEVNULL)
    times.append((time.perf_counter() - begun) * 1000)
print(json.dumps(times))
`
