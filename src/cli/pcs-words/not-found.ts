/** How each command of pcs says that something is not there. */
import type { About, CallNames } from '../call/message.ts'
import type { Said } from './said.ts'

interface Row {
  readonly code: About['code']
  /** The command as typed. */
  readonly at?: RegExp
  readonly say: (ids: readonly string[], about: About) => readonly string[]
  readonly closes?: boolean
  readonly before?: (ids: readonly string[]) => readonly string[]
}

const each =
  (say: (id: string) => string) =>
  (ids: readonly string[]): readonly string[] =>
    ids.map(say)
const list = (ids: readonly string[]): string =>
  [...ids]
    .sort()
    .map((id) => `'${id}'`)
    .join(', ')
const plural = (ids: readonly string[]): string => (ids.length > 1 ? 's' : '')

const rows: readonly Row[] = [
  {
    code: 'resource-not-found',
    at: /^(resource|stonith) (update|op )/,
    say: each((id) => `Unable to find resource: ${id}`),
  },
  {
    code: 'resource-not-found',
    at: /^resource (delete|remove)/,
    say: (ids) => [`Unable to find resource${plural(ids)}: ${list(ids)}`],
  },
  {
    code: 'resource-not-found',
    at: /^stonith (delete|remove)/,
    say: (ids) => [`Unable to find stonith resource${plural(ids)}: ${list(ids)}`],
  },
  {
    code: 'resource-not-found',
    at: /^(resource|stonith) (enable|disable|safe-disable|manage|unmanage)/,
    say: each((id) => `bundle/clone/group/resource/tag '${id}' does not exist`),
    closes: true,
  },
  {
    code: 'resource-not-found',
    at: /^resource (clone|promotable)/,
    say: each((id) => `unable to find group or resource: ${id}`),
  },
  { code: 'resource-not-found', at: /^resource unclone/, say: each((id) => `could not find resource: ${id}`) },
  {
    code: 'resource-not-found',
    at: /^(resource group (remove|delete)|resource ungroup)/,
    say: each((id) => `Group '${id}' does not exist`),
  },
  {
    code: 'resource-not-found',
    at: /^resource group add|^constraint \S+ set/,
    say: each((id) => `'${id}' does not exist`),
    closes: true,
  },
  { code: 'resource-not-found', at: /^constraint ticket/, say: each((id) => `'${id}' does not exist`), closes: true },
  {
    code: 'resource-not-found',
    at: /^resource (move|ban|clear)/,
    say: each((id) => `bundle/clone/group/resource '${id}' does not exist`),
    closes: true,
  },
  {
    code: 'resource-not-found',
    at: /^(resource|stonith) meta/,
    say: each((id) => `unable to find a resource/clone/group: ${id}`),
  },
  { code: 'resource-not-found', at: /^resource relations/, say: each((id) => `resource '${id}' does not exist`) },
  {
    code: 'resource-not-found',
    at: /^(resource|stonith)( status|$)|^status resources/,
    say: each((id) => `resource or tag id '${id}' not found`),
  },
  { code: 'resource-not-found', at: /^resource utilization/, say: each((id) => `Unable to find a resource: ${id}`) },
  { code: 'resource-not-found', at: /^resource bundle/, say: each((id) => `bundle '${id}' does not exist`) },
  {
    code: 'resource-not-found',
    at: /^stonith level/,
    say: (ids) => [`Stonith resource(s) ${list(ids)} do not exist, use --force to override`],
    closes: true,
  },
  { code: 'resource-not-found', at: /^resource create/, say: each((id) => `bundle '${id}' does not exist`) },
  { code: 'resource-not-found', say: each((id) => `Resource '${id}' does not exist`) },
  {
    code: 'node-not-found',
    at: /^stonith level/,
    say: each((id) => `Node '${id}' does not appear to exist in configuration, use --force to override`),
    closes: true,
  },
  {
    code: 'node-not-found',
    at: /^resource (move|ban|clear)/,
    say: each((id) => `Node '${id}' does not appear to exist in configuration`),
    closes: true,
  },
  { code: 'node-not-found', at: /^node utilization/, say: each((id) => `Unable to find a node: ${id}`) },
  { code: 'node-not-found', say: each((id) => `Node '${id}' does not appear to exist in configuration`) },
  {
    code: 'constraint-not-found',
    at: /^constraint location/,
    say: (ids) => [`Unable to find location constraints: ${list(ids)}`],
  },
  { code: 'constraint-not-found', say: (ids) => [`Unable to find constraints or constraint rules: ${list(ids)}`] },
  {
    code: 'level-not-found',
    say: (_ids, about) =>
      about.code === 'level-not-found'
        ? [
            `Fencing level${about.target === undefined ? '' : ` for '${about.target.replace(/^(regexp|attrib)%/, '')}'`}${about.index === undefined ? '' : ` at level '${about.index}'`}${about.devices === undefined ? '' : ` with device(s) ${list([...about.devices].sort())}`} does not exist`,
          ]
        : [],
    closes: true,
  },
  {
    code: 'operation-not-found',
    say: (_ids, about) =>
      about.code !== 'operation-not-found'
        ? []
        : about.resource === 'The configuration'
          ? [`unable to find operation id: ${about.operation}`]
          : [
              `Unable to find operation matching: ${[about.operation, ...Object.entries(about.attributes ?? {}).map((pair) => pair.join('='))].join(' ')}`,
            ],
  },
  {
    code: 'nothing-has-id',
    at: /^tag/,
    say: each((id) => `bundle/clone/group/resource '${id}' does not exist`),
    closes: true,
  },
  { code: 'nothing-has-id', at: /^acl/, say: each((id) => `id '${id}' does not exist`) },
]

/** Smaller things, by what we call them. */
const things: readonly {
  readonly what: RegExp
  readonly at?: RegExp
  readonly say: Row['say']
  readonly closes?: boolean
  readonly before?: Row['before']
}[] = [
  { what: /^role$/, say: each((id) => `ACL role '${id}' does not exist`) },
  { what: /^user$/, say: each((id) => `ACL user '${id}' does not exist`) },
  { what: /^group$/, say: each((id) => `ACL group '${id}' does not exist`) },
  { what: /^permission$/, say: each((id) => `ACL permission '${id}' does not exist`) },
  { what: /^alert$/, at: /^alert (delete|remove)/, say: each((id) => `alert '${id}' does not exist`), closes: true },
  { what: /^alert$/, say: each((id) => `alert '${id}' does not exist`) },
  { what: /^recipient$/, at: /(delete|remove)/, say: each((id) => `recipient '${id}' does not exist`), closes: true },
  { what: /^recipient$/, say: each((id) => `recipient '${id}' does not exist`) },
  { what: /^tag$/, say: each((id) => `tag '${id}' does not exist`), closes: true },
  { what: /^set of defaults$/, say: each((id) => `options set '${id}' does not exist`), closes: true },
  { what: /^order with$/, say: () => ['No matching resources found in ordering list'] },
  { what: /^resource with capacities$/, say: each((id) => `Unable to find a resource: ${id}`) },
  { what: /^node with capacities$/, say: each((id) => `Unable to find a node: ${id}`) },
  {
    what: /^colocation of '.*' with$/,
    say: (ids, about) => [
      `Unable to find colocation constraint with source resource '${about.code === 'not-found' ? about.what.slice(15, -6) : ''}' and target resource '${ids[0] ?? ''}'`,
    ],
  },
  { what: /^constraint of '.*' on the ticket$/, say: () => ['no matching ticket constraint found'] },
  { what: /^guest node$/, say: each((id) => `guest node '${id}' does not appear to exist in configuration`) },
  { what: /^remote node$/, say: each((id) => `remote node '${id}' does not appear to exist in configuration`) },
  {
    what: /^fence device$/,
    say: () => ['No stonith device found'],
    before: (ids) => ids.map((id) => `Warning: Unable to find stonith device '${id}'`),
  },
  {
    what: /^resource$/,
    at: /^resource config/,
    say: () => ['No resource found'],
    before: (ids) => ids.map((id) => `Warning: Unable to find resource '${id}'`),
  },
  {
    what: /^resource$/,
    at: /^(resource|stonith)( status|$)|^status resources/,
    say: each((id) => `resource or tag id '${id}' not found`),
  },
]

export function notFound(abouts: readonly About[], { typed }: CallNames): Said | undefined {
  const [first] = abouts
  if (first === undefined) return undefined
  const ids = abouts.map(idOf).filter((id) => id !== '' || abouts.length === 1)
  const what = first.code === 'not-found' || first.code === 'no-such-item' ? first.what : undefined
  const row =
    what === undefined
      ? rows.find(({ code, at }) => code === first.code && (at?.test(typed) ?? true))
      : things.find((thing) => thing.what.test(what) && (thing.at?.test(typed) ?? true))
  if (row === undefined) return undefined
  return { before: row.before?.(ids) ?? [], errors: row.say(ids, first), closes: row.closes ?? false }
}

function idOf(about: About): string {
  if ('id' in about) return about.id
  return 'node' in about ? about.node : ''
}
