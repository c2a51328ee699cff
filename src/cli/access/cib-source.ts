/**
 * Where crm_simulate and crm_verify take a CIB from: `-x FILE`, `-p` (standard input), `-X TEXT`, `-L` (the running cluster). Commands
 * that take their place know these flags besides `-f`.
 */
import { parseXml, type XmlElement } from '../../cib/index.ts'
import { type Call, type Flag, Refusal } from '../call/command.ts'
import { fileAccess } from './file-access.ts'

export const sourceFlags: readonly Flag[] = [
  { name: 'xml-file', letter: 'x', value: 'file', completes: 'file', summary: 'A CIB in a file' },
  { name: 'xml-pipe', letter: 'p', summary: 'A CIB from standard input' },
  { name: 'live-check', letter: 'L', summary: 'The running cluster (the default)' },
]

export interface CibSource {
  readonly read: () => Promise<{ readonly cib: XmlElement }>
  readonly isLive: boolean
  /** Of the file, where it is one. */
  readonly path?: string
}

export function cibSource(call: Call): CibSource {
  const names = ['xml-file', 'file', 'xml-pipe', 'xml-text', 'live-check'].filter((name) => call.flags.has(name))
  if (names.length > 1)
    throw new Refusal(`${names.map((name) => `--${name}`).join(' and ')} are too many sources. Specify one CIB.`)
  const path = call.flags.get('xml-file') ?? call.flags.get('file')
  if (typeof path === 'string') return { read: fileAccess(path).readCib, isLive: false, path }
  const text = call.flags.get('xml-text')
  if (typeof text === 'string') return { read: () => Promise.resolve({ cib: parsedText(text) }), isLive: false }
  if (call.flags.has('xml-pipe')) return { read: fileAccess('/dev/stdin').readCib, isLive: false }
  return { read: call.cluster.readCib, isLive: true }
}

function parsedText(text: string): XmlElement {
  const parsed = parseXml(text)
  if (parsed.ok && parsed.value.name === 'cib') return parsed.value
  throw new Refusal(
    parsed.ok
      ? `The input is <${parsed.value.name}>, not a CIB.`
      : `The input is not well-formed XML: ${parsed.reports[0]?.message}.`,
  )
}
