/** The manual pages, from the definitions of commands, options and programs, which are what the help prints. */
import {
  cloneMetaOptions,
  clusterOptions,
  commonMetaOptions,
  describeOption,
  describeValues,
  fenceDeviceOptions,
  groupMetaOptions,
  guestMetaOptions,
  nodeAttributes,
  type OptionDefinition,
  operationOptions,
} from '../../src/cib/index.ts'
import { allCommands, type Command, commonFlags, type Flag, flagUsage } from '../../src/cli/index.ts'
import { daemonUsage } from '../../src/daemon/usage.ts'
import { allTools, optionsOf, type Tool, writtenNames } from '../../src/tools/index.ts'
import { areas } from './areas.ts'
import { item, type Page, paragraphs, section, subsection, troff, verbatim } from './troff.ts'

const shown = allCommands.filter(({ refuses }) => refuses === undefined)

export const areaNames: readonly string[] = [...new Set(shown.map(({ path }) => path[0] ?? ''))]

const files = [
  ['/etc/systole/cluster.json', 'the cluster that this host belongs to; written by the daemon'],
  ['/etc/systole/pki/', 'certificate and key of this host'],
  ['/var/lib/systole/', 'data: the replicated state, histories, output of tasks'],
  ['/run/systole/systole.sock', 'the daemon’s socket for root and the group haclient'],
] as const

const seeAlso = (...names: readonly string[]): string => section('See also', `${names.map(troff).join(',\n')}\n`)

const flagItems = (flags: readonly Flag[]): string => flags.map((flag) => item(flagUsage(flag), flag.summary)).join('')

function commandPart(command: Command): string {
  const name = ['systole', ...command.path].join(' ')
  const otherNames = [...(command.bare ?? []), ...(command.aliases ?? [])].map((words) => words.join(' '))
  return [
    subsection(name),
    verbatim([`${name}${command.usage === '' ? '' : ` ${command.usage}`}`]),
    paragraphs(`${command.summary}.`, false),
    command.details ? paragraphs(command.details, false) : '',
    otherNames.length > 0 ? paragraphs(`Also accepted as: ${otherNames.join(', ')}.`, false) : '',
    flagItems(command.flags ?? []),
    ...(command.examples && command.examples.length > 0
      ? ['.PP\nExamples:\n.RS 4\n', verbatim(command.examples), '.RE\n']
      : []),
  ].join('')
}

function areaPage(area: string): Page {
  const own = shown.filter(({ path }) => path[0] === area)
  return {
    name: `systole-${area}`,
    number: 8,
    summary: areas[area] ?? own[0]?.summary ?? '',
    body: [
      section('Commands', ...own.map(commandPart)),
      section('Options of every command', flagItems(commonFlags)),
      seeAlso('systole(8)', 'systole-options(7)'),
    ],
  }
}

const mainPage = (): Page => ({
  name: 'systole',
  number: 8,
  summary: 'command line of the Systole cluster resource manager',
  body: [
    section('Synopsis', verbatim(['systole <command> [<argument>]... [<option>]...'])),
    section(
      'Description',
      paragraphs(
        'Systole keeps services running on a group of machines, on exactly the nodes where they belong. This command configures and shows the cluster. Its grammar is that of pcs. It asks the daemon systoled of this host, which root and members of the group haclient may do.',
      ),
    ),
    section('Options of every command', flagItems(commonFlags)),
    section(
      'Commands',
      ...areaNames.flatMap((area) => [
        subsection(`${area}: see systole-${area}(8)`),
        ...shown
          .filter(({ path }) => path[0] === area)
          .map((command) => item(command.path.join(' '), `${command.summary}.`)),
      ]),
    ),
    section('Files', ...files.map(([name, text]) => item(name, `${text}.`))),
    seeAlso('systoled(8)', 'systole-options(7)', ...areaNames.map((area) => `systole-${area}(8)`)),
  ],
})

function daemonPage(): Page {
  const [usage = '', ...text] = daemonUsage.split(/\n(?=The daemon)/)
  return {
    name: 'systoled',
    number: 8,
    summary: 'daemon of the Systole cluster resource manager',
    body: [
      section(
        'Synopsis',
        verbatim(
          usage
            .replace('Usage: ', '')
            .split('\n')
            .map((line) => line.trim()),
        ),
      ),
      section('Description', paragraphs(text.join('\n'))),
      section('Files', ...files.map(([name, what]) => item(name, `${what}.`))),
      seeAlso('systole(8)', 'systole-cluster(8)', 'systemctl(1)'),
    ],
  }
}

const optionTables = [
  ['Cluster options', clusterOptions],
  ['Meta-attributes of every resource', commonMetaOptions],
  ['Meta-attributes of groups', groupMetaOptions],
  ['Meta-attributes of clones', cloneMetaOptions],
  ['Meta-attributes of guest nodes', guestMetaOptions],
  ['Options of operations', operationOptions],
  ['Parameters of every fence device', fenceDeviceOptions],
  ['Node attributes with a meaning', nodeAttributes],
] as const

function optionItem(option: OptionDefinition): string {
  const names = [option.name, ...(option.otherNames ?? [])].join(', ')
  const standard = option.default === undefined || option.default === '' ? '' : ` Default: ${option.default}.`
  return item(names, `${describeOption(option).replace(/\.?$/, '.')} Takes ${describeValues(option)}.${standard}`)
}

const optionsPage = (): Page => ({
  name: 'systole-options',
  number: 7,
  summary: 'options of the cluster configuration (CIB): cluster, resources, operations, fence devices',
  body: [
    section(
      'Description',
      paragraphs(
        'The options that systole reads in the cluster configuration. Their names and meanings are Pacemaker’s.',
      ),
    ),
    ...optionTables.map(([title, options]) => section(title, ...options.map(optionItem))),
    seeAlso('systole(8)', 'systole-property(8)', 'systole-resource(8)', 'systole-stonith(8)'),
  ],
})

/** Pacemaker's and Corosync's commands, for the package that has their names. */
const toolPage = (tool: Tool): Page => ({
  name: tool.name,
  number: 8,
  summary: `${tool.summary.replace(/\.$/, '')} (of Systole, under Pacemaker’s name)`,
  body: [
    section('Synopsis', verbatim([`${tool.name} [<option>]... [<argument>]...`])),
    section('Options', ...optionsOf(tool).map((option) => item(writtenNames(option), option.help))),
    seeAlso('systole(8)'),
  ],
})

export const systolePages = (): readonly Page[] => [mainPage(), daemonPage(), optionsPage(), ...areaNames.map(areaPage)]

export const toolPages = (): readonly Page[] => allTools.map(toolPage)
