/** Writes docs/reference/ from the definitions of commands and options: what is documented is what there is. `--check` only compares. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Schema } from '../src/base/index.ts'
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
} from '../src/cib/index.ts'
import { allCommands, type Command, describeCommand } from '../src/cli/index.ts'
import { clusterSchema, publishedClusterSchema } from '../src/cli/plan/schema.ts'
import { inventorySchema, orchestrationSchema, rolesSchema, serviceSchema } from '../src/plays/index.ts'
import { rolloutSchema } from '../src/rollout/index.ts'
import { allTools, optionsOf, type Tool, writtenNames } from '../src/tools/index.ts'
import { clusterFilePage } from './cluster-file-page.ts'
import { playFilesPage } from './play-files-page.ts'

const folder = resolve(import.meta.dirname, '../docs/reference')

function commandsPage(all: readonly Command[]): string {
  const commands = all.filter(({ refuses }) => refuses === undefined)
  const areas = [...new Set(commands.map(({ path }) => path[0] ?? ''))]
  const sections = areas.map((area) => {
    const own = commands.filter(({ path }) => path[0] === area)
    return `## ${area}\n\n${own.map((command) => `### systole ${command.path.join(' ')}\n\n\`\`\`\n${describeCommand(command)}\`\`\`\n`).join('\n')}`
  })
  return `# Commands\n\nMade from the commands themselves by \`npm run reference\`.\n\n${sections.join('\n')}`
}

function optionsPage(): string {
  const tables = [
    ['Cluster options', clusterOptions],
    ['Meta-attributes of every resource', commonMetaOptions],
    ['Meta-attributes of groups', groupMetaOptions],
    ['Meta-attributes of clones', cloneMetaOptions],
    ['Meta-attributes of guest nodes', guestMetaOptions],
    ['Options of operations', operationOptions],
    ['Parameters of every fence device', fenceDeviceOptions],
    ['Node attributes with a meaning', nodeAttributes],
  ] as const
  return `# Options\n\nMade from the definitions by \`npm run reference\`.\n\n${tables.map(([title, options]) => `## ${title}\n\n${optionTable(options)}`).join('\n')}`
}

function optionTable(options: readonly OptionDefinition[]): string {
  const rows = options.map((option) => {
    const { name, otherNames } = option
    const names = otherNames && otherNames.length > 0 ? `${name} (also ${otherNames.join(', ')})` : name
    return `| ${names} | ${describeValues(option)} | ${option.default ?? ''} | ${describeOption(option)} |`
  })
  return ['| Name | Takes | Default | What it does |', '| --- | --- | --- | --- |', ...rows, ''].join('\n')
}

/** Options that are accepted and do nothing are told as such. */
function toolsPage(tools: readonly Tool[]): string {
  const sections = tools.map((tool) => {
    const rows = optionsOf(tool).map(
      (option) => `| \`${writtenNames(option).replaceAll('|', '\\|')}\` | ${option.help.replaceAll('|', '\\|')} |`,
    )
    return `## ${tool.name}\n\n${tool.summary}.\n\n| Option | What it does |\n| --- | --- |\n${rows.join('\n')}\n`
  })
  return `# Pacemaker's commands\n\nMade from the definitions by \`npm run reference\`. These commands are in \`shims/\`, which agents find first in PATH and by HA_SBIN_DIR. With \`CIB_file\` in the environment they work on a CIB in a file.\n\n${sections.join('\n')}`
}

/** One row a field, in the order of the file. */
function rolloutPage(schema: Schema): string {
  const resolved = (one: Schema): Schema =>
    one.$ref === undefined ? one : { ...schema.$defs?.[one.$ref.slice('#/$defs/'.length)], ...one }
  const takes = (one: Schema): string => {
    const { oneOf, enum: words, title, type, const: only } = resolved(one)
    if (oneOf) return oneOf.map(takes).join(' or ')
    if (only !== undefined) return `\`${String(only)}\``
    return words ? words.map((word) => `\`${word}\``).join(', ') : (title ?? type ?? '')
  }
  const rows = (of: Schema, path: string): readonly string[] =>
    Object.entries(resolved(of).properties ?? {}).flatMap(([name, one]) => {
      const inner = resolved(one)
      const field = path === '' ? name : `${path}.${name}`
      const isNeeded = resolved(of).required?.includes(name) === true
      const standard = inner.default === undefined ? '' : `\`${String(inner.default)}\``
      const row = `| \`${field}\` | ${takes(one)} | ${isNeeded ? '(required)' : standard} | ${(inner.description ?? '').replaceAll('|', '\\|')} |`
      if (inner.items?.$ref === '#/$defs/command') return [row]
      const list = inner.items ?? inner.oneOf?.find(({ items }) => items)?.items
      return [row, ...rows(inner, field), ...(list ? rows(list, `${field}[]`) : [])]
    })
  const table = (lines: readonly string[]): string =>
    ['| Field | Takes | Default | Meaning |', '| --- | --- | --- | --- |', ...lines, ''].join('\n')
  const command = schema.$defs?.command ?? {}
  return `# Rollout files\n\nMade from the definition by \`npm run reference\`; as JSON Schema: [rollout.schema.json](rollout.schema.json). How to use them: [rollouts](../guides/rollouts.md).\n\n${table(rows(schema, ''))}\n## A command\n\nThe fields of each entry of \`before\`, \`actions\`, \`after\` and \`validate\`.\n\n${table(rows(command, ''))}`
}

const asJson = (schema: Schema): string => `${JSON.stringify(schema, undefined, 2)}\n`

const pages = {
  'rollout.schema.json': asJson(rolloutSchema),
  'rollout-file.md': rolloutPage(rolloutSchema),
  'cluster-file.schema.json': `${JSON.stringify(publishedClusterSchema(), undefined, 2)}\n`,
  'cluster-file.md': clusterFilePage(clusterSchema),
  'orchestration.schema.json': asJson(orchestrationSchema),
  'service.schema.json': asJson(serviceSchema),
  'roles.schema.json': asJson(rolesSchema),
  'inventory.schema.json': asJson(inventorySchema),
  'play-files.md': playFilesPage(),
  'tools.md': toolsPage(allTools),
  'commands.md': commandsPage(allCommands),
  'options.md': optionsPage(),
}
let stale = false
for (const [name, text] of Object.entries(pages)) {
  const path = join(folder, name)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (readFileSync(path, 'utf8') !== text) {
    console.error(`docs/reference/${name} is not what the definitions say: run npm run reference.`)
    stale = true
  }
}
process.exitCode = stale ? 1 : 0
