/** Keys that only the daemon knows, besides those in which the controller's view reads. */
import { keys } from '../../controller/index.ts'
import type { SettingPlace } from '../../rollout/index.ts'

export const allKeys = '/systole/'
export const configHistoryPrefix = '/systole/config/history/'
export const fencingHistoryPrefix = '/systole/fencing/history/'

/** The list of nodes, as a cluster.json: written with every change of it, read by nodes that were away (node-list.ts). */
export const nodeListKey = '/systole/cluster/nodes'

/** Whose member of the store is being started anew, with other links (relink.ts): `{node}`, under its lease. */
export const relinkTurnKey = '/systole/cluster/relink-turn'

export const configVersionKey = (version: number): string =>
  `${configHistoryPrefix}${String(version).padStart(10, '0')}`

export { keys }

/** `members/<node>`, as controller/keys.ts has it. */
export const membersPrefix = `${allKeys}members/`

/** Which cluster node holds the connection to a remote node: `{node}`. Its revision is the token that the remote node obeys. */
export const remoteOwnerKey = (remote: string): string => `${allKeys}remote-owner/${encodeURIComponent(remote)}`

/** The join tokens, by the hashes of their secrets, and what became of each (join-tokens.ts). */
export const joinBookKey = '/systole/cluster/join'

/** What alerts are still to be sent for, by the DC (src/daemon/alerts/outbox.ts). */
export const alertEventsPrefix = `${allKeys}alerts/events/`

/** What descriptions of the configuration said when they were last applied (src/daemon/configuration/applied.ts). */
export const appliedPrefix = `${allKeys}applied/`
export const appliedKey = (name: string): string => `${appliedPrefix}${encodeURIComponent(name)}`

/** Changes of the configuration that are taken back unless they are confirmed (src/daemon/configuration/unconfirmed.ts), by their versions. */
export const unconfirmedPrefix = `${allKeys}unconfirmed/`
export const unconfirmedKey = (version: number): string => `${unconfirmedPrefix}${version}`
/** What each of them made of what. No node keeps these in memory. */
export const unconfirmedDocumentsPrefix = `${allKeys}unconfirmed-documents/`
export const unconfirmedDocumentsKey = (version: number): string => `${unconfirmedDocumentsPrefix}${version}`

/** Which generation of shares the authority's key is split into, and who has them (authority-keeper.ts). */
export const authorityKey = '/systole/cluster/authority'

/** The last certificate and key of a bundle's replica, which may do no more than a remote node. */
export const bundleIdentityKey = (node: string): string =>
  `/systole/cluster/bundle-identity/${encodeURIComponent(node)}`

/** Holds (src/holds, src/daemon/holds). */
export const holdsPrefix = `${allKeys}holds/`

/** Owners of holds. Each of these records has `ended` once it is over. */
export const rolloutsPrefix = `${allKeys}rollouts/`
export const rolloutKey = (id: string): string => `${allKeys}rollouts/${encodeURIComponent(id)}`
export const jobKey = (id: string): string => `${allKeys}jobs/${encodeURIComponent(id)}`

/** What a rollout has done, a line each, in order. */
export const rolloutJournalPrefix = (id: string): string => `${allKeys}rollout-journal/${encodeURIComponent(id)}/`
export const rolloutJournalKey = (id: string, line: number): string =>
  `${rolloutJournalPrefix(id)}${String(line).padStart(8, '0')}`
/** The number of the last rollout: whoever starts one counts on from it. */
export const lastRolloutKey = `${allKeys}rollout-last`
/** Which version a node runs, and how it came to that. */
export const nodeVersionsPrefix = `${allKeys}node-versions/`
export const nodeVersionKey = (node: string): string => `${nodeVersionsPrefix}${encodeURIComponent(node)}`

/** Which version all nodes are to run. */
export const desiredVersionKey = `${allKeys}desired-version`
/** Settings for scripts on the nodes, one record each; those of a node below its name. */
export const settingsPrefix = `${allKeys}settings/`
export const hostSettingsPrefix = (node: string): string => `${settingsPrefix}host/${encodeURIComponent(node)}/`
export const settingKey = ({ kind, scope, name = '', key }: SettingPlace): string =>
  `${settingsPrefix}${scope}/${encodeURIComponent(name)}/${kind}/${encodeURIComponent(key)}`

/** Named locks (src/daemon/locks). */
export const locksPrefix = `${allKeys}locks/`
export const lockKey = (name: string): string => `${locksPrefix}${encodeURIComponent(name)}`

/** Commands on nodes (src/jobs), and those who own them. */
export const tasksPrefix = `${allKeys}tasks/`
export const taskKey = (id: string): string => `${tasksPrefix}${encodeURIComponent(id)}`
export const jobsPrefix = `${allKeys}jobs/`
/** Graphs of steps (src/plays), and the components of each step, which do not change. */
export const playsPrefix = `${allKeys}plays/`
export const playKey = (id: string): string => `${playsPrefix}${encodeURIComponent(id)}`
/** `part`: the id of the play and the place of the step, as a task names it. */
export const allPlayPartsPrefix = `${allKeys}play-parts/`
export const playPartKey = (part: string): string =>
  `${allPlayPartsPrefix}${part.split('/').map(encodeURIComponent).join('/')}`
export const playPartsPrefix = (id: string): string => `${allPlayPartsPrefix}${encodeURIComponent(id)}/`
export const ownersPrefixes = { job: jobsPrefix, rollout: `${allKeys}rollouts/`, play: playsPrefix }

/** Tokens for the HTTPS API (src/daemon/console/api-tokens.ts). */
export const apiTokensPrefix = `${allKeys}api-tokens/`
export const apiTokenKey = (name: string): string => `${apiTokensPrefix}${encodeURIComponent(name)}`

/** Up to which revision recoveries were sent as traces. */
export const tracesKey = `${allKeys}traces`

/** Other clusters (src/daemon/fleet), and what was heard of them last. */
export const fleetPrefix = `${allKeys}fleet/`
export const fleetKey = (name: string): string => `${fleetPrefix}${encodeURIComponent(name)}`
/** Rollouts over clusters of the fleet (src/rollout/fleet). */
export const fleetRolloutsPrefix = `${allKeys}fleet-rollouts/`
export const fleetRolloutKey = (id: string): string => `${fleetRolloutsPrefix}${encodeURIComponent(id)}`
export const fleetNewsPrefix = `${allKeys}fleet-news/`
export const fleetNewsKey = (name: string): string => `${fleetNewsPrefix}${encodeURIComponent(name)}`

/** Which certificates of clients the HTTPS API accepts (src/daemon/console/client-certificates.ts). */
export const apiClientsPrefix = `${allKeys}api-clients/`
export const apiClientKey = (name: string): string => `${apiClientsPrefix}${encodeURIComponent(name)}`
