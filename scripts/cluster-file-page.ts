/** docs/reference/cluster-file.md, from the schema: a table of the file, and one of each part that stands in several places. */
import type { Schema } from '../src/base/index.ts'

export function clusterFilePage(schema: Schema): string {
  const nameOf = (one: Schema): string | undefined => one.$ref?.slice('#/$defs/'.length)
  const resolved = (one: Schema): Schema => ({ ...schema.$defs?.[nameOf(one) ?? ''], ...one })
  const takes = (one: Schema): string => {
    const { oneOf, enum: words, title, type } = resolved(one)
    if (oneOf) return oneOf.map(takes).join(' or ')
    return words ? words.map((word) => `\`${word}\``).join(', ') : (title ?? type ?? '')
  }
  const below = (one: Schema, path: string): readonly string[] => (nameOf(one) === undefined ? rows(one, path) : [])
  const rows = (of: Schema, path: string): readonly string[] => [
    ...Object.entries(of.properties ?? {}).flatMap(([name, one]) => {
      const field = path === '' ? name : `${path}.${name}`
      const isNeeded = of.required?.includes(name) === true
      const row = `| \`${field}\` | ${takes(one)} | ${isNeeded ? '(required)' : ''} | ${(resolved(one).description ?? '').replaceAll('|', '\\|')} |`
      return [row, ...below(one, field)]
    }),
    ...Object.values(of.patternProperties ?? {}).flatMap((one) => below(one, `${path}.<name>`)),
    ...(of.items === undefined ? [] : below(of.items, `${path}[]`)),
  ]
  const table = (lines: readonly string[]): string =>
    ['| Field | Takes | | Meaning |', '| --- | --- | --- | --- |', ...lines, ''].join('\n')
  const parts = Object.entries(schema.$defs ?? {}).filter(([, one]) => one.properties !== undefined)
  const sections = parts.map(([name, one]) => `## ${name}\n\n${table(rows(one, ''))}`)
  return `# Cluster files\n\nMade from the definition by \`npm run reference\`; as JSON Schema: [cluster-file.schema.json](cluster-file.schema.json). How to use them: [plan and apply](../guides/plan-and-apply.md).\n\n${table(rows(schema, ''))}\n${sections.join('\n')}`
}
