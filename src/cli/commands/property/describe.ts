import { didYouMean, similarWords } from '../../../base/index.ts'
import {
  clusterOption,
  clusterOptions,
  describeOption,
  describeValues,
  type OptionDefinition,
} from '../../../cib/index.ts'
import { type Call, type Command, done, Refusal } from '../../call/command.ts'
import { inFormat } from '../../call/output-format.ts'
import { defaultOptionsFor, isSameOption } from './names.ts'

const fullFlag = { name: 'full', summary: 'Also show options that the cluster sets itself, and deprecated ones' }

export const propertyDescribe: Command = {
  path: ['property', 'describe'],
  usage: '[<property>...] [--full] [--output-format text|json]',
  summary: 'Show the meaning, values and defaults of cluster options',
  flags: [fullFlag, { name: 'output-format', value: 'text|json', summary: 'Print it as text or as JSON' }],
  completes: ['property'],
  run: async (call) => {
    const options = chosen(call)
    return await inFormat(call, { text: () => options.map(describe).join(''), json: options })
  },
}

export const propertyDefaults: Command = {
  path: ['property', 'defaults'],
  usage: '[<property>...] [--full]',
  summary: 'Show the defaults of cluster options',
  flags: [fullFlag],
  completes: ['property'],
  run: (call) => {
    const options = chosen(call)
    const pairs = [...defaultOptionsFor(call.speech)].filter(([name]) =>
      options.some((one) => isSameOption(one.name, name)),
    )
    return Promise.resolve(done(pairs.map(([name, value]) => `${name}=${value}\n`).join(''), Object.fromEntries(pairs)))
  },
}

function chosen(call: Call): readonly OptionDefinition[] {
  if (call.words.length === 0)
    return clusterOptions.filter(
      ({ setByCluster, deprecated }) => call.flags.has('full') || (!setByCluster && !deprecated),
    )
  const names = clusterOptions.flatMap(({ name, otherNames }) => [name, ...(otherNames ?? [])])
  const unknown = call.words.filter((name) => clusterOption(name) === undefined)
  if (unknown.length > 0)
    throw new Refusal(
      ...unknown.map((name) => `There is no cluster option '${name}'.${didYouMean(similarWords(name, names))}`),
    )
  return call.words.flatMap((name) => clusterOption(name) ?? [])
}

function describe(option: OptionDefinition): string {
  const others = option.otherNames && option.otherNames.length > 0 ? ` (also ${option.otherNames.join(', ')})` : ''
  return [
    `${option.name}${others}\n`,
    `  Description: ${describeOption(option)}\n`,
    `  Takes: ${describeValues(option)}\n`,
    ...(option.default === undefined ? [] : [`  Default: ${option.default}\n`]),
  ].join('')
}
