/** docs/reference/play-files.md: the fields of the files of a play, from their schemas, and all components, from the grammar by which they are read. */
import type { Schema } from '../src/base/index.ts'
import {
  commonSwitches,
  commonValues,
  grammars,
  inventorySchema,
  orchestrationSchema,
  rolesSchema,
  serviceSchema,
} from '../src/plays/index.ts'

const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...lines.map((line) => `| ${line.map((one) => one.replaceAll('|', '\\|')).join(' | ')} |`),
    '',
  ].join('\n')

function takes({ oneOf, enum: words, title, type, const: only }: Schema): string {
  if (oneOf) return oneOf.map(takes).join(' or ')
  if (only !== undefined) return `\`${String(only)}\``
  return words ? words.map((word) => `\`${word}\``).join(', ') : (title ?? type ?? '')
}

function rows(of: Schema, path: string): readonly (readonly string[])[] {
  const named = Object.entries(of.properties ?? {}).flatMap(([name, one]) => {
    const field = path === '' ? name : `${path}.${name}`
    const standard = one.default === undefined ? '' : `\`${String(one.default)}\``
    const isNeeded = of.required?.includes(name) === true
    return [
      [`\`${field}\``, takes(one), isNeeded ? '(required)' : standard, one.description ?? ''],
      ...rows(one, field),
    ]
  })
  const byPattern = Object.values(of.patternProperties ?? {}).flatMap((one) => rows(one, `${path}.<name>`))
  return [...named, ...byPattern, ...(of.items === undefined ? [] : rows(of.items, `${path}[]`))]
}

const fields = (schema: Schema): string => table(['Field', 'Takes', 'Default', 'Meaning'], rows(schema, ''))

const options = (of: Readonly<Record<string, string>>, value: string): readonly (readonly string[])[] =>
  Object.entries(of).map(([name, meaning]) => [`\`--${name}${value}\``, meaning])

function components(): string {
  return Object.entries(grammars)
    .map(([verb, { summary, usage, switches = {}, values = {} }]) => {
      const own = [...options(switches, ''), ...options(values, '=…')]
      const shown = own.length === 0 ? '' : `\n${table(['Option', 'Meaning'], own)}`
      return `### ${verb}\n\n${usage === '' ? '' : `\`${verb}: ${usage}\`\n\n`}${summary}\n${shown}`
    })
    .join('\n')
}

export function playFilesPage(): string {
  const schemas = [
    ['Orchestration files', 'orchestration', orchestrationSchema],
    ['Services', 'service', serviceSchema],
    ['Roles', 'roles', rolesSchema],
    ['Inventories', 'inventory', inventorySchema],
  ] as const
  const files = schemas.map(
    ([title, name, schema]) =>
      `## ${title}\n\nAs JSON Schema: [${name}.schema.json](${name}.schema.json).\n\n${fields(schema)}`,
  )
  const common = table(['Option', 'Meaning'], [...options(commonSwitches, ''), ...options(commonValues, '=…')])
  return `# Files of plays\n\nMade from the definitions by \`npm run reference\`. How to use them: [plays](../guides/plays.md).\n\n${files.join('\n')}\n## Components\n\nEvery component takes these options:\n\n${common}\n${components()}`
}
