/**
 * The osp-ha-deploy scripts typed on running clusters, word for word, and compared with what they make of a file.
 * Its services are not installed here: stop-all-resources keeps the cluster from trying to start them.
 */
import { describe, expect, test } from 'vitest'
import { canonicalText, childElement, parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import { overcloud, overcloudNodes } from '../cli/deployment/overcloud.ts'
import { replay } from '../cli/deployment/replay.ts'
import { commandLines, isThere, missing } from '../cli/deployment/shared-commands.ts'
import { Lab } from '../nodes/lab/lab.ts'

type Lines = readonly (readonly string[])[]

interface Script {
  readonly name: string
  readonly nodes: readonly string[]
  readonly lines: () => Lines
  /** How many lines are known to be wrong, questions not counted. */
  readonly wrong: number
}

const controllers = ['rdo7-node1', 'rdo7-node2', 'rdo7-node3']
const onOvercloud = (...names: readonly string[]): Lines => [
  ['cluster', 'setup', 'overcloud', ...overcloudNodes],
  ...overcloud,
  ...names.flatMap(commandLines),
]
const segregated = (name: string, host: string, wrong = 0): Script => ({
  name: `segregated ${name}`,
  nodes: [1, 2, 3].map((number) => `rdo7-${host}${number}`),
  lines: () => commandLines(`segregated/${name}.txt`),
  wrong,
})

const scripts: readonly Script[] = [
  { name: 'collapsed', nodes: controllers, lines: () => commandLines('ALL-collapsed.txt'), wrong: 5 },
  {
    name: 'collapsed with remote compute nodes',
    nodes: controllers,
    lines: () => commandLines('ALL-collapsed-with-compute.txt'),
    wrong: 11,
  },
  {
    name: 'Instance HA of version 9, installed and uninstalled',
    nodes: overcloudNodes,
    lines: () => onOvercloud('iha-install-9.txt', 'iha-uninstall.txt'),
    wrong: 0,
  },
  {
    name: 'Instance HA of version 10',
    nodes: overcloudNodes,
    lines: () => onOvercloud('iha-install-10.txt'),
    wrong: 1,
  },
  segregated('lb', 'lb'),
  segregated('galera', 'db'),
  segregated('rabbitmq', 'rabbitmq'),
  segregated('memcached', 'memcache'),
  segregated('mongodb', 'mongodb'),
  segregated('keystone', 'keystone'),
  segregated('glance', 'glance', 2),
  segregated('cinder', 'cinder'),
  segregated('swift-aco', 'swift-brick'),
  segregated('swift', 'swift'),
  segregated('neutron-server', 'neutron-server'),
  segregated('neutron-agents', 'neutron-agents'),
  segregated('nova', 'nova'),
  segregated('ceilometer', 'ceilometer', 3),
  segregated('heat', 'heat'),
  segregated('horizon', 'horizon'),
  {
    name: 'segregated compute-cluster',
    nodes: ['east-05'],
    lines: () => commandLines('segregated/compute-cluster.txt'),
    wrong: 0,
  },
]

describe.skipIf(!isThere)('osp-ha-deploy on a running cluster', () => {
  for (const script of scripts)
    test(
      `${script.name} does what it does to a file, and fails where it is known to`,
      async () => {
        const lab = new Lab(script.nodes)
        try {
          await lab.start()
          await compare(lab, script)
        } finally {
          await lab.close()
        }
      },
      30 * 60_000,
    )
})
test.runIf(!isThere)(missing, ({ skip }) => skip(missing))

async function compare(lab: Lab, { nodes, lines, wrong }: Script): Promise<void> {
  const first = nodes[0] ?? ''
  const failed = await typeAll(lab, lines())
  const file = await replay(lines(), { nodes })
  expect(failed.map(({ line }) => line)).toEqual(file.failures.map(({ line }) => line))
  // The scripts ask by `resource show` whether something has been made already: no is the right answer.
  const mistakes = failed.filter(({ line }) => !/^resource (show|config) \S+$/.test(line))
  expect(mistakes).toHaveLength(wrong)
  for (const { line, says } of mistakes) expect(says, line).toContain('Did you mean')
  const running = await lab.inNode(first, 'pcs', 'cluster', 'cib')
  // A new cluster has a default of its own, which most of the scripts replace.
  const setsDefaults = lines().some(([area, verb]) => area === 'resource' && verb === 'defaults')
  for (const section of ['resources', 'constraints', ...(setsDefaults ? ['rsc_defaults'] : [])])
    expect(sectionOf(running, section), section).toBe(sectionOf(printXml(file.cib), section))
  const last = nodes.at(-1) ?? ''
  expect(await lab.inNode(first, 'pcs', 'status', 'pcsd')).toContain(`${last}: Online`)
}

interface Failed {
  readonly line: string
  readonly says: string
}

async function typeAll(lab: Lab, lines: Lines): Promise<readonly Failed[]> {
  const [first = ''] = lab.nodes
  const failed: Failed[] = []
  await lab.until('the daemon answers', async () => (await lab.try(first, 'cluster', 'status')) !== undefined, 60_000)
  for (const words of lines) {
    const line = words.join(' ')
    if (line.startsWith('cluster setup')) await setUp(lab, words)
    else {
      const says = await type(lab, words)
      if (says !== undefined) failed.push({ line, says })
    }
  }
  return failed
}

/** What fails is told; a missing agent is no mistake of the line's. */
async function type(lab: Lab, words: readonly string[]): Promise<string | undefined> {
  try {
    await lab.inNode(lab.nodes[0] ?? '', 'pcs', ...words)
    return undefined
  } catch (error) {
    const says = String(error)
    if (!words.includes('--force') && says.includes('is not installed or does not provide valid metadata'))
      return await type(lab, [...words, '--force'])
    return says
  }
}

/** The other nodes join by the token that setup prints, which takes the place of passwords. */
async function setUp(lab: Lab, words: readonly string[]): Promise<void> {
  const [first = ''] = lab.nodes
  const { joins } = JSON.parse(await lab.inNode(first, 'pcs', ...words, '--json')) as {
    readonly joins: readonly { readonly node: string; readonly token: string }[]
  }
  await lab.systole(first, 'cluster', 'start')
  for (const { node, token } of joins) await lab.systole(node, 'cluster', 'join', first, '--token', token)
  await lab.systole(first, 'cluster', 'start', '--all')
  await lab.until(
    'all nodes are online',
    async () => (await lab.status(first)).nodes.filter(({ online }) => online).length === lab.nodes.length,
    120_000,
  )
  await lab.systole(first, 'property', 'set', 'stop-all-resources=true')
}

function sectionOf(cib: string, name: string): string {
  const parsed = parseXml(cib)
  if (!parsed.ok) return ''
  const configuration: XmlElement | undefined = childElement(parsed.value, 'configuration')
  const section = configuration && childElement(configuration, name)
  // A new cluster has a set of defaults already, under a name of its own.
  return section ? canonicalText(section, parsed.value) : ''
}
