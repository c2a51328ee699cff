import { ok } from '../../../base/index.ts'
import { childElement, parseXml, printXml, type XmlElement } from '../../../cib/index.ts'
import { changeCib } from '../../change.ts'
import { type Command, changeFlags, done, Refusal } from '../../command.ts'
import { expectWords, parsePairs } from '../../words.ts'

export const clusterCib: Command = {
  path: ['cluster', 'cib'],
  usage: '[<file>] [scope=<section>]',
  summary: 'Print the CIB, or save it into a file',
  details:
    'The whole CIB, status included, as XML that Pacemaker’s own tools read. scope=configuration leaves the status out.',
  completes: ['file', { words: ['scope=configuration', 'scope=status'] }],
  run: async (call) => {
    const files = call.words.filter((word) => !word.startsWith('scope='))
    const { scope } = Object.fromEntries(
      parsePairs(
        call.words.filter((word) => word.startsWith('scope=')),
        'options',
      ),
    )
    expectWords(files, { atLeast: 0, atMost: 1, usage: 'cluster cib [<file>] [scope=<section>]' })
    const { cib, version } = await call.cluster.readCib()
    const xml = printXml(scoped(cib, scope))
    const [file] = files
    if (file === undefined) return done(xml, { version, xml })
    await call.terminal.writeFile(file, xml)
    return done(`The CIB is in ${file}.\n`, { version, file })
  },
}

function scoped(cib: XmlElement, scope: string | undefined): XmlElement {
  if (scope === undefined) return cib
  const found = [cib, childElement(cib, 'configuration') ?? cib].flatMap(
    (parent) => childElement(parent, scope) ?? [],
  )[0]
  if (!found)
    throw new Refusal(
      `The CIB has no section '${scope}': sections are configuration, status, resources, constraints, nodes, crm_config.`,
    )
  return found
}

export const clusterCibPush: Command = {
  path: ['cluster', 'cib-push'],
  usage: '<file> [--config] [--wait[=<seconds>]]',
  summary: 'Replace the configuration by that of a CIB file',
  details:
    'The status in the file is ignored. The push is refused when the file has a mistake that the running configuration does not have.',
  flags: [
    ...changeFlags,
    { name: 'config', summary: 'Accepted for pcs’s sake: only the configuration is ever pushed' },
  ],
  completes: ['file'],
  run: async (call) => {
    const words = call.words.filter((word) => !word.startsWith('scope=') && !word.startsWith('diff-against='))
    expectWords(words, { atLeast: 1, atMost: 1, usage: 'cluster cib-push <file>' })
    const file = words[0] ?? ''
    const pushed = parseXml(await call.terminal.readFile(file))
    if (!pushed.ok) {
      const [report] = pushed.reports
      throw new Refusal(
        `${file} is not well-formed XML: line ${report?.place.line}, column ${report?.place.column}: ${report?.message}.`,
      )
    }
    if (pushed.value.name !== 'cib' && pushed.value.name !== 'configuration')
      throw new Refusal(
        `${file} holds <${pushed.value.name}>, not a CIB: its first element must be <cib> or <configuration>.`,
      )
    return await changeCib(call, {
      edit: (cib) => ok({ cib: withConfiguration(cib, pushed.value), created: [], removed: [] }),
      message: () => `The configuration of ${file} is in place.`,
    })
  },
}

/** The running CIB with another configuration section. */
function withConfiguration(cib: XmlElement, pushed: XmlElement): XmlElement {
  const configuration = pushed.name === 'configuration' ? pushed : childElement(pushed, 'configuration')
  if (!configuration) throw new Refusal('The file has no <configuration> section: nothing to push.')
  const others = cib.children.filter((child) => child.kind !== 'element' || child.name !== 'configuration')
  return { ...cib, children: [configuration, ...others] }
}
