/** Help for people, made from the definitions. */
import { always, notDone, type OptionSpec } from './options.ts'
import type { Tool } from './tool.ts'

/** Every command has these besides its own. */
export const commonOptions: readonly OptionSpec[] = [
  { names: ['help', '?', 'h'], value: 'none', help: 'Show this text' },
  { names: ['version', '$'], value: 'none', help: 'Show the version' },
  always('verbose,V', 'what goes wrong is said'),
]

export const xmlOptions = ({ takesHtml }: Tool): readonly OptionSpec[] => [
  {
    names: ['output-as'],
    value: 'required',
    placeholder: 'FORMAT',
    help: takesHtml ? 'text, xml or html; none prints nothing' : 'text, or xml; none prints nothing',
  },
  { names: ['output-to'], value: 'required', placeholder: 'FILE', help: 'Write the output to a file', file: 'written' },
  notDone('text-fancy', 'there is one form of text'),
]

/** The values of `--output-as`, for a tool that prints XML. */
export const formatsOf = ({ takesHtml }: Tool): readonly string[] => [
  'text',
  'xml',
  'none',
  ...(takesHtml ? ['html'] : []),
]

export function optionsOf(tool: Tool): readonly OptionSpec[] {
  const own = tool.options
  const taken = new Set(own.flatMap(({ names }) => names))
  return [...own, ...(tool.printsXml ? xmlOptions(tool) : []), ...commonOptions].flatMap((option) => {
    if (own.includes(option)) return [option]
    const names = option.names.filter((name) => !taken.has(name))
    return names.length === 0 ? [] : [{ ...option, names }]
  })
}

export function describeTool(tool: Tool): string {
  const rows = optionsOf(tool).map((option) => [writtenNames(option), option.help] as const)
  const width = Math.min(34, Math.max(...rows.map(([names]) => names.length)))
  const lines = rows.map(([names, help]) => `  ${names.padEnd(width)}  ${help}\n`)
  return `Usage: ${tool.name} [options]\n\n${tool.summary}.\n\nOptions:\n${lines.join('')}`
}

/** `-n, --name=NAME`: the letters first, then the long names. */
export function writtenNames({ names, value, placeholder = 'VALUE' }: OptionSpec): string {
  const letters = names.filter((name) => name.length === 1).map((name) => `-${name}`)
  const long = names.filter((name) => name.length > 1)
  const suffix = value === 'none' ? '' : value === 'required' ? `=${placeholder}` : `[=${placeholder}]`
  return [...letters, ...long.map((name) => `--${name}${suffix}`)].join(', ')
}
