/**
 * The reference beside which the scheduler is held: a `crm_simulate` of any version. It may be older than the release whose cases the
 * suite has, so options are written by their old names; of another major version, words that have changed are brought to the present ones.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { printXml, type XmlElement } from '../../src/cib/index.ts'
import type { Answer, Exclusion } from './answer.ts'
import type { Tree } from './cib-tree.ts'

export interface Reference {
  readonly version: string
  /** An older major version: compared loosely. */
  readonly isOld: boolean
  readonly exclusions: readonly Exclusion[]
  readonly simulate: (cib: Tree, args: readonly string[]) => Answer | Refusal
  readonly close: () => void
}

/** It did not take the CIB, or came to no end. */
export interface Refusal {
  readonly refused: string
}

/** Undefined where the program is not there. */
export function findReference(program = 'crm_simulate'): Reference | undefined {
  const said = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (said.status !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'systole-fuzz-'))
  const version = said.stdout.split('\n')[0] ?? ''
  const isOld = /^Pacemaker [12]\./.test(version)
  return {
    version,
    isOld,
    exclusions: version === 'Pacemaker 3.0.0' ? [...changedSince300, ...ofItsClock] : ofItsClock,
    simulate: (cib, args) => simulate({ program, folder, isOld }, cib, args),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What 3.0.0 said otherwise than the releases after it. */
export const changedSince300: readonly Exclusion[] = [
  {
    line: /^\* Stopped(?: \(.*\))?: \[/,
    reason: 'a node with an instance in a line of its own was listed among those where the clone is stopped as well',
  },
]

const ofItsClock: readonly Exclusion[] = [
  {
    line: /^\* Injecting attribute last-failure-/,
    reason: 'an injected failure happened when the reference ran, whatever moment is simulated',
  },
]

interface Program {
  readonly program: string
  readonly folder: string
  readonly isOld: boolean
}

function simulate({ program, folder, isOld }: Program, cib: Tree, args: readonly string[]): Answer | Refusal {
  const [file, graph, saved] = [join(folder, 'cib.xml'), join(folder, 'graph.xml'), join(folder, 'saved.xml')]
  const written = withOldNames(cib)
  // Below 3.0.13 older versions count failures of a resource as a whole, what 3.0 does not know any more.
  if (isOld) written.attributes.crm_feature_set = '3.14.0'
  writeFileSync(file, printXml(written as XmlElement))
  // With scores, older versions leave the titles out unless they are asked for.
  const titles = isOld ? ['--text-fancy'] : []
  const { status, signal, stdout, stderr } = spawnSync(
    program,
    ['-x', file, '-S', '-s', ...titles, '-G', graph, '-O', saved, ...args],
    {
      encoding: 'utf8',
      timeout: 30_000,
      maxBuffer: 1 << 28,
      env: { ...process.env, LC_ALL: 'C' },
    },
  )
  if (status !== 0) return { refused: signal ?? stderr.trim().split('\n').at(-1) ?? String(status) }
  // An instance that no history calls so: ours knows what is meant.
  const unknown = /^Invalid resource name: /m.exec(`${stdout}${stderr}`)
  if (unknown !== null) return { refused: `${unknown[0]}what a question is about` }
  const { summary, scores } = withoutScores(withPresentWords(stdout))
  return { summary, scores, graph: readFileSync(graph, 'utf8'), saved: readFileSync(saved, 'utf8') }
}

/** The scores stand between the status and the transition. */
function withoutScores(text: string): { readonly summary: string; readonly scores: string } {
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => /^(Assignment|Allocation) Scores:$/i.test(line))
  if (begin < 0) return { summary: text, scores: '' }
  const end = lines.findIndex((line, index) => index > begin && /^\S/.test(line))
  const scores = lines.slice(begin + 1, end).map((line) => line.replace(/^ *\* /, ''))
  return { summary: [...lines.slice(0, begin), ...lines.slice(end)].join('\n'), scores: scores.join('\n') }
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
