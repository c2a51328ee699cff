/** What was filled in, as the command that is typed for it: pure. */

/** As a shell takes it back apart. */
export function quoted(word: string): string {
  if (/^[\w@%+=:,./#!-]+$/.test(word)) return word
  return word.includes("'") ? `"${word}"` : `'${word}'`
}

export const joined = (words: readonly (string | undefined)[]): string =>
  words.flatMap((word) => (word === undefined || word === '' ? [] : [quoted(word)])).join(' ')

export interface Created {
  readonly id: string
  readonly agent: string
  readonly parameters: Readonly<Record<string, string>>
  readonly monitor: string
  readonly as: 'one' | 'clone' | 'promotable' | 'group'
  readonly group: string
}

/** Parameters that were left empty have their defaults. */
export function createLine({ id, agent, parameters, monitor, as, group }: Created): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]))
  const operation = monitor === '' ? [] : ['op', 'monitor', `interval=${monitor}`]
  const place = as === 'one' ? [] : as === 'group' ? (group === '' ? [] : [`--group=${group}`]) : [as]
  return joined(['resource', 'create', id, agent, ...given, ...operation, ...place])
}

/** What agents do not refuse before they start: undefined where nothing is wrong. */
export function mistakeIn(type: string, value: string): string | undefined {
  if (type !== 'integer' || value === '' || /^[+-]?\d+$/.test(value)) return undefined
  return `'${value}' is not a whole number.`
}

/** A device that fences: the hosts are those that it can switch off; none: those that it names itself. */
export function fenceLine({ id, agent, parameters, monitor }: Created, hosts: readonly string[]): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]))
  const list = hosts.length === 0 ? undefined : `pcmk_host_list=${hosts.join(',')}`
  const operation = monitor === '' ? [] : ['op', 'monitor', `interval=${monitor}`]
  return joined(['stonith', 'create', id, agent, ...given, list, ...operation])
}

/** Only what has changed; an empty value removes the parameter. Empty where nothing has. */
export function updateLine(
  id: string,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string {
  const changed = Object.entries(after).filter(([name, value]) => value !== (before[name] ?? ''))
  return changed.length === 0 ? '' : joined(['resource', 'update', id, ...changed.map((pair) => pair.join('='))])
}

export interface Alert {
  readonly id: string
  readonly path: string
  readonly options: Readonly<Record<string, string>>
  readonly meta: Readonly<Record<string, string>>
}

export function alertLine({ id, path, options, meta }: Alert): string {
  const section = (name: string, values: Readonly<Record<string, string>>): readonly string[] => {
    const given = Object.entries(values).flatMap(([key, value]) => (value === '' ? [] : [`${key}=${value}`]))
    return given.length === 0 ? [] : [name, ...given]
  }
  return joined([
    ...['alert', 'create', `path=${path}`, id === '' ? undefined : `id=${id}`],
    ...section('options', options),
    ...section('meta', meta),
  ])
}

export const propertyLine = (name: string, value: string): string =>
  value === '' ? joined(['property', 'unset', name]) : joined(['property', 'set', `${name}=${value}`])
