/** A CIB as commands, and the commands typed into an empty one: whether the same configuration comes out. */
import { childElement, childElements, element, sameConfiguration, type XmlElement } from '../../src/cib/index.ts'
import { scratchAccess } from '../../src/cli/access/scratch-access.ts'
import { splitShellLine } from '../../src/cli/call/shell-words.ts'
import { allCommands } from '../../src/cli/commands/all-commands.ts'
import { runLine } from '../../src/cli/start/run.ts'
import { scriptedTerminal } from './scripted-terminal.ts'

export interface RoundTrip {
  readonly same: boolean
  readonly lines: readonly string[]
  /** Lines that put in an element as XML, other than a node: no command says what it says. */
  readonly asXml: readonly string[]
  readonly problem?: string
}

export async function roundTrip(cib: XmlElement): Promise<RoundTrip> {
  const written = await type(['config', 'show', '--output-format', 'cmd'], scratchAccess(cib))
  if (written.exitCode !== 0) return { same: false, lines: [], asXml: [], problem: written.standardError }
  const lines = written.standardOutput
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
  const asXml = lines.filter((line) => / cib element create (?!nodes )/.test(line))
  const rebuilt = scratchAccess(withoutConfiguration(cib))
  for (const line of lines) {
    const printed = await type(splitShellLine(line).slice(1), rebuilt)
    if (printed.exitCode !== 0) return { same: false, lines, asXml, problem: `${line}: ${printed.standardError}` }
  }
  return { same: sameConfiguration(cib, rebuilt.current()), lines, asXml }
}

async function type(line: readonly string[], cluster: ReturnType<typeof scratchAccess>) {
  return await runLine({ commands: allCommands, line, terminal: scriptedTerminal(), openCluster: () => cluster })
}

function withoutConfiguration(cib: XmlElement): XmlElement {
  const configuration = childElement(cib, 'configuration') ?? element('configuration')
  const empty = element(
    'configuration',
    configuration.attributes,
    childElements(configuration).map(({ name }) => element(name)),
  )
  return { ...cib, children: [empty] }
}
