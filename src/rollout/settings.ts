/** Settings for scripts on the nodes, such as `enable_puppet`: of the whole cluster, of a role or of a node, the narrower one first. */
export const settingKinds = ['config_state', 'config_version'] as const
export type SettingKind = (typeof settingKinds)[number]

export const settingScopes = ['global', 'role', 'host'] as const
export type SettingScope = (typeof settingScopes)[number]

export interface SettingPlace {
  readonly kind: SettingKind
  readonly scope: SettingScope
  /** The role or the node. */
  readonly name?: string
  readonly key: string
}

export interface Setting extends SettingPlace {
  readonly value: string
}

/** What holds for a node: its own before those of its roles, of two roles the later by name, and these before the cluster's. */
export function settingsFor(
  { node, roles }: { readonly node: string; readonly roles: readonly string[] },
  kind: SettingKind,
  settings: readonly Setting[],
): Readonly<Record<string, string>> {
  const all = new Set([...roles, ...roleByName(node)])
  const of = (scope: SettingScope, isMeant: (name: string) => boolean): readonly (readonly [string, string])[] =>
    settings
      .filter((one) => one.kind === kind && one.scope === scope && isMeant(one.name ?? ''))
      .toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1))
      .map(({ key, value }) => [key, value])
  return Object.fromEntries([
    ...of('global', () => true),
    ...of('role', (name) => all.has(name)),
    ...of('host', (name) => name === node),
  ])
}

/** As the original reads it from names such as `db1` and `db1-abc`. */
const roleByName = (node: string): readonly string[] => {
  const role = /^([A-Za-z_]+)\d+(-.*)?$/.exec(node)?.[1]
  return role === undefined ? [] : [role]
}
