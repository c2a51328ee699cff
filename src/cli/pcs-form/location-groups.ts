/** Location constraints as `pcs constraint location config resources` and `… nodes` print them: what a resource, or a node, is told. */
import type { LocationForm } from './constraints.ts'
import { ruleLines } from './rule.ts'

export function locationsByResource(locations: readonly LocationForm[], withIds: boolean): readonly string[] {
  const byId = locations.filter(({ resource_pattern }) => resource_pattern === null)
  const byPattern = locations.filter(({ resource_pattern }) => resource_pattern !== null)
  return titled(
    [
      ...groups(byId, ({ resource_id }) => resource_id ?? '', 'Resource'),
      ...groups(byPattern, ({ resource_pattern }) => resource_pattern ?? '', 'Resource pattern'),
    ].flatMap(({ heading, members }) => [heading, ...indented(aboutResource(members, withIds))]),
  )
}

/** Rules name no node: constraints with one are not shown. */
export function locationsByNode(locations: readonly LocationForm[], withIds: boolean): readonly string[] {
  const placed = locations.filter(({ attributes }) => attributes.node !== null)
  const line = (one: LocationForm): string =>
    `resource${one.resource_pattern === null ? '' : ' pattern'} '${one.resource_pattern ?? one.resource_id ?? ''}' ${scoreAndId(one, withIds)}`
  return titled(
    groups(placed, ({ attributes }) => attributes.node ?? '', 'Node').flatMap(({ heading, members }) => [
      heading,
      ...indented([
        ...labelled('Preferred by', members.filter(isFor), line),
        ...labelled('Avoided by', members.filter(isAgainst), line),
      ]),
    ]),
  )
}

function aboutResource(locations: readonly LocationForm[], withIds: boolean): readonly string[] {
  const placed = locations.filter(({ attributes }) => attributes.rules.length === 0)
  const line = (one: LocationForm): string => `node '${one.attributes.node ?? ''}' ${scoreAndId(one, withIds)}`
  return [
    ...labelled('Prefers', placed.filter(isFor), line),
    ...labelled('Avoids', placed.filter(isAgainst), line),
    ...locations
      .filter(({ attributes }) => attributes.rules.length > 0)
      .flatMap(({ attributes: { constraint_id, rules } }) => [
        `Constraint:${withIds ? ` ${constraint_id}` : ''}`,
        '  Rules:',
        ...rules.flatMap((rule) => ruleLines(rule, withIds)).map((text) => `    ${text}`),
      ]),
  ]
}

const isAgainst = ({ attributes }: LocationForm): boolean => attributes.score?.startsWith('-') === true
const isFor = (location: LocationForm): boolean => !isAgainst(location)

function scoreAndId({ attributes: { score, constraint_id } }: LocationForm, withIds: boolean): string {
  return `with score ${(score ?? '0').replace(/^-/, '')}${withIds ? ` (id: ${constraint_id})` : ''}`
}

function groups(
  locations: readonly LocationForm[],
  key: (location: LocationForm) => string,
  kind: string,
): readonly { readonly heading: string; readonly members: readonly LocationForm[] }[] {
  return [...new Set(locations.map(key))].map((name) => ({
    heading: `${kind}: ${name}`,
    members: locations.filter((location) => key(location) === name),
  }))
}

function labelled(
  label: string,
  locations: readonly LocationForm[],
  line: (location: LocationForm) => string,
): readonly string[] {
  return locations.length === 0 ? [] : [`${label}:`, ...indented(locations.map(line))]
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)
const titled = (lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : ['Location Constraints:', ...indented(lines)]
