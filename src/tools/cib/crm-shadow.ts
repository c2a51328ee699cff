/**
 * crm_shadow: copies of the configuration to work on, and their way back (crm_shadow(8)). With `CIB_shadow` in its environment
 * every command works on the copy of that name.
 */
import { element, parseXml, printXml, type XmlElement, type XmlText } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { flag, hasOption, lastOf, optionValue, plainWords, valued } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall, Shadows, Tool } from '../tool.ts'
import { describePatch } from './describe-patch.ts'
import { makePatch } from './make-patch.ts'
import { withVersion } from './version.ts'

const commands = [
  'which',
  'display',
  'edit',
  'diff',
  'file',
  'create',
  'create-empty',
  'commit',
  'delete',
  'reset',
  'switch',
]

export const crmShadow: Tool = {
  name: 'crm_shadow',
  summary: 'Work on a copy of the configuration, and bring it back',
  options: [
    flag('which,w', 'The copy that is worked on'),
    flag('display,p', 'Print the contents of the shadow CIB'),
    flag('edit,E', 'Edit it in $EDITOR'),
    flag('diff,d', 'Show the changes line by line; the exit code is 1 if there are any'),
    flag('file,F', 'The file that it is in'),
    valued('create,c', 'NAME', 'Copy the configuration of the cluster'),
    valued('create-empty,e', 'NAME', 'Make an empty configuration'),
    valued('commit,C', 'NAME', 'Make the configuration of the copy that of the cluster (with --force)'),
    valued('delete,D', 'NAME', 'Delete the copy (with --force)'),
    valued('reset,r', 'NAME', 'Copy the configuration of the cluster again'),
    valued('switch,s', 'NAME', 'Work on another copy'),
    flag('force,f', 'Do what is dangerous'),
    flag('batch,b', 'Begin no shell'),
    flag('all,a', 'The recorded state, too (with --commit)'),
    valued('validate-with,v', 'SCHEMA', 'The schema of an empty configuration'),
  ],
  printsXml: true,
  xmlVersions: { shadow: '2.30', instruction: '2.30' },
  runsHere: true,
  run: async (call) => await run(call),
}

async function run(call: ParsedCall): Promise<ToolReply> {
  const command = lastOf(call.given, commands)
  const { files, cibadmin } = call
  if (command === undefined) return stopped(exitCodes.usage, 'Must specify a query or command option')
  const [stray] = plainWords(call.given)
  if (stray !== undefined) return stopped(exitCodes.usage, `non-option ARGV-elements: ${stray}`)
  if (files === undefined || cibadmin === undefined) return stopped(exitCodes.unimplemented, 'there are no files here.')
  const shadow = new Shadow(call, files.shadows)
  const { name, value = '' } = command
  switch (name) {
    case 'create':
    case 'create-empty':
      return await shadow.create(value, name === 'create-empty')
    case 'reset':
      return shadow.unforced('reset', value) ?? (await shadow.copy(value))
    case 'switch':
      return (
        shadow.missing(value) ??
        shadow.begin(value, 'To switch to the named shadow instance, enter the following into your shell:')
      )
    case 'commit':
      return shadow.unforced('commit', value) ?? shadow.missing(value) ?? (await shadow.commit(value))
    case 'delete':
      return shadow.unforced('delete', value) ?? shadow.remove(value)
    default:
      return await shadow.about(name)
  }
}

/** One error, be it of several lines. */
function stopped(exitCode: number, text: string): ToolReply {
  const said = `crm_shadow: ${text}`
  return { exitCode, output: '', errors: `${said}\n`, said: [said] }
}

const dangers = {
  reset: 'The reset command overwrites the active shadow configuration.',
  commit: 'The commit command overwrites the active cluster configuration.',
  delete: 'The delete command removes the specified shadow file.',
} as const

class Shadow {
  readonly #call: ParsedCall
  readonly #shadows: Shadows

  constructor(call: ParsedCall, shadows: Shadows) {
    this.#call = call
    this.#shadows = shadows
  }

  missing(name: string): ToolReply | undefined {
    if (this.#shadows.exists(name)) return undefined
    return stopped(exitCodes.noSuchObject, `Could not access shadow instance '${name}': No such file or directory`)
  }

  unforced(command: keyof typeof dangers, name: string): ToolReply | undefined {
    if (hasOption(this.#call.given, 'force')) return undefined
    const { active } = this.#shadows
    const other =
      active === '' || active === name
        ? []
        : [`Additionally, the supplied shadow instance (${name}) is not the same as the active one (${active}).`]
    const what = command === 'commit' ? 'cluster' : 'shadow file'
    return stopped(exitCodes.usage, [dangers[command], ...other, forceNeeded(what)].join('\n'))
  }

  async create(name: string, empty: boolean): Promise<ToolReply> {
    if (this.#shadows.exists(name) && !hasOption(this.#call.given, 'force'))
      return stopped(
        exitCodes.canNotCreate,
        `A shadow instance '${name}' already exists.\n${forceNeeded('shadow file')}`,
      )
    if (!empty) return await this.copy(name)
    const schema = optionValue(this.#call.given, 'validate-with')
    const made = await this.#cibadmin(schema === undefined ? '--empty' : `--empty=${schema}`)
    if (made.exitCode !== exitCodes.ok) return made
    const cib = withVersion(parsed(made.output), { epoch: 0 })
    const failed = this.#write(name, cib)
    if (failed !== undefined) return failed
    const title = `Created new ${cib.attributes['validate-with']} configuration\n`
    const reply = this.begin(name, created)
    return { ...reply, output: `${title}${reply.output}` }
  }

  async copy(name: string): Promise<ToolReply> {
    const asked = await this.#cibadmin('--query')
    if (asked.exitCode !== exitCodes.ok) return asked
    return this.#write(name, parsed(asked.output)) ?? this.begin(name, created)
  }

  /** In a shell of its own where there is a terminal, as an advice otherwise. */
  begin(name: string, how: string): ToolReply {
    const isBatch = hasOption(this.#call.given, 'batch')
    if (!isBatch && this.#shadows.shell(name)) return printed('')
    return told(`${how}\n\texport CIB_shadow=${name}`)
  }

  async commit(name: string): Promise<ToolReply> {
    const cib = this.#read(name)
    const whole = hasOption(this.#call.given, 'all')
    const given = whole ? cib : cib.children.find((child) => child.kind === 'element' && child.name === 'configuration')
    if (given?.kind !== 'element')
      return stopped(exitCodes.dataError, `The shadow instance '${name}' has no configuration`)
    const scope = whole ? [] : ['--scope', 'configuration']
    const done = await this.#cibadmin('--replace', ...scope, '--xml-text', printXml(given))
    if (done.exitCode === exitCodes.ok) return printed('', [])
    return stopped(done.exitCode, `Could not commit shadow instance '${name}' to the CIB: ${reasonOf(done)}`)
  }

  remove(name: string): ToolReply {
    this.#shadows.remove(name)
    return name === this.#shadows.active
      ? told('Remember to unset the CIB_shadow variable by entering the following into your shell:\n\tunset CIB_shadow')
      : printed('', [])
  }

  async about(question: string): Promise<ToolReply> {
    const name = this.#shadows.active
    if (name === '') return stopped(exitCodes.noSuchObject, 'No active shadow configuration defined')
    const file = this.#shadows.path(name)
    if (question === 'which') return printed(`${name}\n`, [element('shadow', { instance: name })])
    if (question === 'file') return printed(`${file}\n`, [element('shadow', { instance: name, file })])
    const missing = this.missing(name)
    if (missing !== undefined) return missing
    if (question === 'display') {
      const text = printXml(this.#read(name))
      return printed(text, [element('shadow', { instance: name }, [element('content', {}, [documentOf(text)])])])
    }
    if (question === 'diff') return await this.#diff(name)
    const trouble = this.#shadows.edit(file)
    return trouble === undefined ? { ...printed(''), isBare: true } : stopped(trouble.exitCode, trouble.text)
  }

  async #diff(name: string): Promise<ToolReply> {
    const asked = await this.#cibadmin('--query')
    if (asked.exitCode !== exitCodes.ok) return asked
    const difference = makePatch(parsed(asked.output), this.#read(name), { withVersions: true })
    if (difference === undefined) return printed('', [element('shadow', { instance: name })])
    const patch = element('xml-patchset', {}, [documentOf(printXml(difference))])
    return {
      exitCode: exitCodes.error,
      output: describePatch(difference),
      errors: '',
      xml: [element('shadow', { instance: name }, [patch])],
    }
  }

  async #cibadmin(...words: readonly string[]): Promise<ToolReply> {
    return (await this.#call.cibadmin?.(...words)) ?? refused(exitCodes.unimplemented, 'crm_shadow: there is no CIB.')
  }

  #read(name: string): XmlElement {
    return parsed(this.#call.files?.read(this.#shadows.path(name)) ?? '')
  }

  #write(name: string, cib: XmlElement): ToolReply | undefined {
    if (this.#shadows.canHold(name)) {
      this.#call.files?.write(this.#shadows.path(name), printXml(cib))
      return undefined
    }
    return stopped(exitCodes.noSuchObject, `Could not create the shadow instance '${name}': No such file or directory`)
  }
}

const textOf = (text: string): XmlText => ({ kind: 'text', text })
const documentOf = (text: string): XmlText => ({ kind: 'text', text, asCdata: true })

/** What the caller is to type. */
const told = (text: string): ToolReply => printed(`${text}\n`, [element('instruction', {}, [textOf(text)])])

const forceNeeded = (what: string): string =>
  `To prevent accidental destruction of the ${what}, the --force flag is required in order to proceed.`
const created = 'A new shadow instance was created. To begin using it, enter the following into your shell:'

const reasonOf = ({ errors }: ToolReply): string =>
  errors
    .trimEnd()
    .split('\n')
    .at(-1)
    ?.replace(/^Call failed: /, '') ?? ''

function parsed(text: string): XmlElement {
  const result = parseXml(text)
  if (result.ok) return result.value
  throw new Error(`the CIB cannot be read: ${result.reports.map(({ message }) => message).join('; ')}`)
}
