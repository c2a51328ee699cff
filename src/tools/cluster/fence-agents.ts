/** stonith_admin's questions to the fence agents of the caller's host: which there are, their metadata, whether parameters are right. */
import { element, parseXml, printXml } from '../../cib/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { type GivenOption, hasOption, optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { CallerFiles, ParsedCall } from '../tool.ts'

const questions = ['list-installed', 'metadata', 'validate']

export function asksFenceAgents(given: readonly GivenOption[]): boolean {
  return questions.some((name) => hasOption(given, name))
}

export function onFenceAgents({ given, files }: ParsedCall, question: string): ToolReply {
  if (files === undefined) return refused(exitCodes.unimplemented, 'stonith_admin: agents are not known here.')
  if (question === 'list-installed')
    return list('fence device', 'installed fence devices', files.agents.list('stonith'))
  const agent = optionValue(given, 'agent')
  if (agent === undefined) return refused(exitCodes.usage, 'Please specify an agent to query using -a,--agent [value]')
  return question === 'metadata' ? metadata(agent, files) : validate(agent, given, files)
}

/** `name` is what one of them is called. */
export function list(name: string, title: string, found: readonly string[]): ToolReply {
  const count = `${found.length} ${name}${found.length === 1 ? '' : 's'} found`
  const items = found.map((text) => element('item', { name: name.split(' ')[1] ?? name }, [{ kind: 'text', text }]))
  return printed(`${[...found, count].join('\n')}\n`, [
    element('list', { name: title, count: String(found.length) }, items),
  ])
}

function metadata(agent: string, { agents }: CallerFiles): ToolReply {
  const text = agents.metadata(`stonith:${agent}`)
  if (text === undefined) return refused(exitCodes.noSuchObject, "Can't get fence agent meta-data: No such device")
  const parsed = parseXml(text)
  const shown = parsed.ok ? printXml(parsed.value) : text
  return printed(shown, [element('metadata', {}, [{ kind: 'text', text: shown }])])
}

function validate(agent: string, given: readonly GivenOption[], files: CallerFiles): ToolReply {
  const parameters = parametersOf(given, files)
  const answer = files.agents.askFenceAgent(agent, 'validate-all', parameters)
  const exitCode =
    answer === undefined ? exitCodes.noSuchObject : answer.exitCode === 0 ? exitCodes.ok : exitCodes.error
  const texts = answer === undefined ? [`Agent ${agent} not found`] : [answer.errors, answer.output].filter(Boolean)
  const verdict = `Validation of ${agent} ${exitCode === exitCodes.ok ? 'succeeded' : 'failed'}`
  const outputs = texts.map((text) => element('output', { source: 'stderr' }, [{ kind: 'text', text }]))
  return {
    exitCode,
    output: hasOption(given, 'quiet') ? '' : [verdict, ...texts].map((text) => `${text}\n`).join(''),
    errors: '',
    xml: [
      element('validate', { agent, valid: String(exitCode === exitCodes.ok) }, [
        element('command', { code: String(answer?.exitCode ?? exitCode) }, outputs),
      ]),
    ],
  }
}

function parametersOf(given: readonly GivenOption[], { environment }: CallerFiles): Readonly<Record<string, string>> {
  const pairs = given.flatMap(({ name, value = '' }): readonly (readonly [string, string])[] => {
    if (name === 'env-option') return [[value, environment[`OCF_RESKEY_${value}`] ?? '']]
    const equals = value.indexOf('=')
    return name === 'option' && equals > 0 ? [[value.slice(0, equals), value.slice(equals + 1)]] : []
  })
  return Object.fromEntries(pairs)
}
