/** Types the lines of a deployment script, one by one, as `pcs -f FILE`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseXml, type XmlElement } from '../../../src/cib/index.ts'
import { fileAccess } from '../../../src/cli/access/file-access.ts'
import { allCommands } from '../../../src/cli/commands/all-commands.ts'
import { runLine } from '../../../src/cli/start/run.ts'
import { scriptedTerminal } from '../scripted-terminal.ts'

export interface Failure {
  readonly line: string
  readonly says: string
}

export interface Replayed {
  readonly cib: XmlElement
  readonly failures: readonly Failure[]
  /** Lines that only a running cluster can carry out: they were not typed. */
  readonly live: readonly string[]
  /** Lines whose agent is not installed on this machine, and which were therefore given --force. */
  readonly forced: readonly string[]
}

/** What sets up and runs a cluster is no matter of a CIB in a file. `stonith` and `resource` alone only look. */
const needsCluster = /^(--force )?((cluster|host) |resource (cleanup|refresh|restart)|status$)/

export async function replay(
  lines: readonly (readonly string[])[],
  { nodes, compat }: { readonly nodes: readonly string[]; readonly compat?: string },
): Promise<Replayed> {
  const folder = mkdtempSync(join(tmpdir(), 'systole-replay-'))
  const file = join(folder, 'cib.xml')
  writeFileSync(file, emptyCib(nodes))
  const found = { failures: [] as Failure[], live: [] as string[], forced: [] as string[] }
  try {
    for (const words of lines) {
      const line = words.join(' ')
      if (needsCluster.test(line)) found.live.push(line)
      else await typeOne({ words, file, compat, found })
    }
    const cib = parseXml(readFileSync(file, 'utf8'))
    if (!cib.ok) throw new Error('The replay left a file that is no XML.')
    return { cib: cib.value, ...found }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function typeOne(typed: {
  readonly words: readonly string[]
  readonly file: string
  readonly compat: string | undefined
  readonly found: { readonly failures: Failure[]; readonly forced: string[] }
}): Promise<void> {
  const { file, compat, found } = typed
  // A file has nothing to wait for.
  const words = typed.words.filter((word) => !word.startsWith('--wait'))
  const type = (line: readonly string[], called: Called = { program: 'pcs', environment: compat }) =>
    runLine({
      commands: allCommands,
      line: ['-f', file, ...line],
      terminal: scriptedTerminal(),
      openCluster: (path) => fileAccess(path ?? ''),
      called,
    })
  const line = typed.words.join(' ')
  let printed = await type(words)
  if (printed.exitCode !== 0 && isMissingAgent(printed.standardError)) {
    found.forced.push(line)
    printed = await type([...words, '--force'])
  }
  if (printed.exitCode === 0) return
  // Our own words say more than pcs's: which name was probably meant.
  const own = await type(words, { program: 'systole', environment: compat ?? '0.10' })
  found.failures.push({ line, says: own.standardError.trim() })
}

type Called = NonNullable<Parameters<typeof runLine>[0]['called']>

function isMissingAgent(says: string): boolean {
  return /^Error: Agent '\S+' is not installed or does not provide valid metadata.*, use --force to override$/m.test(
    says,
  )
}

function emptyCib(nodes: readonly string[]): string {
  const entries = nodes.map((node, index) => `<node id="${index + 1}" uname="${node}"/>`)
  return `<cib crm_feature_set="3.19.0" validate-with="pacemaker-3.9" epoch="1" num_updates="0" admin_epoch="0">
  <configuration><crm_config/><nodes>${entries.join('')}</nodes><resources/><constraints/></configuration><status/>
</cib>
`
}
