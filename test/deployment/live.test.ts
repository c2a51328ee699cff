/**
 * The osp-ha-deploy script typed on a running cluster of three nodes, word for word, and compared with what it makes of a file.
 * Its services are not installed here: stop-all-resources keeps the cluster from trying to start them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalText, childElement, parseXml, printXml, type XmlElement } from '../../src/cib/index.ts'
import { replay } from '../cli/deployment/replay.ts'
import { commandLines, isThere, missing } from '../cli/deployment/shared-commands.ts'
import { Lab } from '../nodes/lab/lab.ts'

const nodes = ['rdo7-node1', 'rdo7-node2', 'rdo7-node3']
const first = nodes[0] ?? ''
const lab = new Lab(isThere ? nodes : [])

beforeAll(async () => {
  if (isThere) await lab.start()
}, 180_000)
afterAll(() => lab.close(), 60_000)

interface Typed {
  readonly failed: readonly { readonly line: string; readonly says: string }[]
}

describe.skipIf(!isThere)('osp-ha-deploy on a running cluster', () => {
  test(
    'the collapsed script does what it does to a file, and fails where it is known to',
    async () => {
      const lines = commandLines('ALL-collapsed.txt')
      const { failed } = await typeAll(lines)
      const file = await replay(lines, { nodes })
      expect(failed.map(({ line }) => line)).toEqual(file.failures.map(({ line }) => line))
      for (const { line, says } of failed.filter(({ line: typed }) => typed.startsWith('constraint')))
        expect(says, line).toContain('Did you mean')
      const running = await lab.inNode(first, 'pcs', 'cluster', 'cib')
      for (const section of ['resources', 'constraints', 'rsc_defaults'])
        expect(sectionOf(running, section)).toBe(sectionOf(printXml(file.cib), section))
      expect(await lab.inNode(first, 'pcs', 'status', 'xml')).toContain('<resource id="vip-db"')
      expect(await lab.inNode(first, 'pcs', 'status', 'pcsd')).toContain(`${nodes[2]}: Online`)
    },
    20 * 60_000,
  )
})
test.runIf(!isThere)(missing, ({ skip }) => skip(missing))

async function typeAll(lines: readonly (readonly string[])[]): Promise<Typed> {
  const failed: { line: string; says: string }[] = []
  await lab.until('the daemon answers', async () => (await lab.try(first, 'cluster', 'status')) !== undefined, 60_000)
  for (const words of lines) {
    const line = words.join(' ')
    if (line.startsWith('cluster setup')) await setUp(words)
    else {
      const says = await type(words)
      if (says !== undefined) failed.push({ line, says })
    }
  }
  return { failed }
}

/** What fails is told; a missing agent is no mistake of the line's. */
async function type(words: readonly string[]): Promise<string | undefined> {
  try {
    await lab.inNode(first, 'pcs', ...words)
    return undefined
  } catch (error) {
    const says = String(error)
    if (!words.includes('--force') && says.includes('There is no agent')) return await type([...words, '--force'])
    return says
  }
}

/** The other nodes join by the token that setup prints, which takes the place of passwords. */
async function setUp(words: readonly string[]): Promise<void> {
  const { joinToken } = JSON.parse(await lab.inNode(first, 'pcs', ...words, '--json')) as { readonly joinToken: string }
  await lab.systole(first, 'cluster', 'start')
  for (const node of nodes.slice(1)) await lab.systole(node, 'cluster', 'join', first, '--token', joinToken)
  await lab.systole(first, 'cluster', 'start', '--all')
  await lab.until(
    'all nodes are online',
    async () => (await lab.status(first)).nodes.filter(({ online }) => online).length === nodes.length,
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
