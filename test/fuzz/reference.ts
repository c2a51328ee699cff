/**
 * The reference beside which the scheduler is held: an installed `crm_simulate`. It may be older than the release whose cases the suite
 * has, so options are written by their old names and words that have changed are brought to the present ones.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printXml, type XmlElement } from '../../src/cib/index.ts'
import type { Answer } from './answer.ts'
import type { Tree } from './cib-tree.ts'

export interface Reference {
  readonly version: string
  readonly simulate: (cib: Tree) => Answer | undefined
  readonly close: () => void
}

/** Undefined where the program is not installed. */
export function findReference(): Reference | undefined {
  const version = spawnSync('crm_simulate', ['--version'], { encoding: 'utf8' })
  if (version.status !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'systole-fuzz-'))
  return {
    version: version.stdout.split('\n')[0] ?? '',
    simulate: (cib) => simulate(folder, cib),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Undefined where it refused the CIB, or did not come to an end. */
function simulate(folder: string, cib: Tree): Answer | undefined {
  const [file, graph] = [join(folder, 'cib.xml'), join(folder, 'graph.xml')]
  const written = withOldNames(cib)
  // Below 3.0.13 older versions count failures of a resource as a whole, what 3.0 does not know any more.
  written.attributes.crm_feature_set = '3.14.0'
  writeFileSync(file, printXml(written as XmlElement))
  const options = {
    encoding: 'utf8',
    timeout: 20_000,
    maxBuffer: 1 << 28,
    env: { ...process.env, LC_ALL: 'C' },
  } as const
  const summary = spawnSync('crm_simulate', ['-x', file, '-S'], options)
  if (summary.status !== 0) return undefined
  const scores = spawnSync('crm_simulate', ['-x', file, '-G', graph, '-sSQ'], options)
  if (scores.status !== 0) return undefined
  return {
    summary: withPresentWords(summary.stdout),
    scores: withPresentWords(scores.stdout),
    graph: readFileSync(graph, 'utf8'),
  }
}

function withOldNames(node: Tree): Tree {
  const { name } = node.attributes
  const renamed =
    node.name === 'nvpair' && name !== undefined && /^fencing-(enabled|action|timeout|watchdog-timeout)$/.test(name)
      ? { ...node.attributes, name: name.replace(/^fencing-/, 'stonith-') }
      : node.attributes
  return { ...node, attributes: { ...renamed }, children: node.children.map(withOldNames) }
}

const withPresentWords = (text: string): string =>
  text
    .replaceAll(/pcmk__(\w+)_allocate:/g, 'pcmk__$1_assign:')
    .replaceAll('termination was requested', 'fencing was requested')
