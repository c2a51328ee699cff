/**
 * Who may call what: an entry for each call of the API, looked up by the server before any handler. A call without an entry is refused to everybody.
 * docs/security.md shows the table; a test holds it and proto/systole.proto against this one.
 */
import type { localService, nodeService, witnessService } from './generated/systole.ts'

/**
 * `member`: a node that the list of nodes names, by a key that it knows it by. `dc`: of those the one that leads, as the store names it, in its term.
 * `witness`: whoever has a witness's certificate, one that was removed as well.
 * `local`: a process of this host that may open the socket; what its user may do with the cluster is decided behind it.
 */
export type CallerClass = 'member' | 'dc' | 'witness' | 'local'

export interface CallRule {
  readonly who: CallerClass
  /** What it may do, and what else must hold. */
  readonly what: string
  /** Only while this node has quorum, so that its list of nodes is the cluster's: whoever was removed while this node was away is in its own list still. */
  readonly withQuorum?: true
  /** Without quorum, this node first asks the others that it knows whether the caller was removed meanwhile (daemon/node-list/others-say.ts). */
  readonly asksOthers?: true
}

type RulesOf<S> = { readonly [Name in keyof S]: CallRule }

const member = (what: string): CallRule => ({ who: 'member', what })
const dc = (what: string): CallRule => ({ who: 'dc', what })
const ofQuorum = (rule: CallRule): CallRule => ({ ...rule, withQuorum: true })
const askingOthers = (rule: CallRule): CallRule => ({ ...rule, asksOthers: true })
const witness = (what: string): CallRule => ({ who: 'witness', what })
const local = (what: string): CallRule => ({ who: 'local', what })

export const callRules: {
  readonly Node: RulesOf<typeof nodeService>
  readonly Witness: RulesOf<typeof witnessService>
  readonly Local: RulesOf<typeof localService>
} = {
  Node: {
    execute: dc('runs an operation of a transition here, under root'),
    runFenceDevice: askingOthers(member('runs a fence device of the configuration here')),
    fence: member('asks this node, where it is the DC, to fence a node'),
    startCluster: askingOthers(member('starts the cluster here')),
    stopCluster: askingOthers(member('stops the cluster here; resources stop first')),
    enableCluster: askingOthers(member('says whether the cluster starts with this host')),
    updateClusterFile: askingOthers(
      member(
        'gives this node a newer list of nodes; one without this node only makes it look into the store. A node without quorum also takes one from a node that is new to it, while no node that it knows answers with quorum: a list that names both by their keys',
      ),
    ),
    forget: member(
      'asks this node to forget the cluster: it does so where the list in the store has it leaving or removed',
    ),
    getClusterFile: member('reads the list of nodes as this node has it'),
    checkLinks: member('asks whether this node may have some addresses as links'),
    getAuthorityShares: ofQuorum(
      member(
        'gets this node’s share of the authority’s key, to sign something with enough of them; the whole key from a host that founds the cluster',
      ),
    ),
    getPki: member('reads which authorities this node believes, and until when its certificate holds'),
    bringPki: ofQuorum(
      dc(
        'has this node believe other authorities while the authority is replaced, as the store says, and renew its certificate',
      ),
    ),
    keepAuthorityShare: ofQuorum(
      member('gives this node its share of the authority’s key, which counts once the store says so'),
    ),
    readTaskOutput: askingOthers(member('reads what a task of this node has printed')),
    readJournal: askingOthers(member('reads what this node has written down of the cluster')),
    readOperations: askingOthers(member('reads how operations of resources ended here, and what their agents printed')),
    writeFile: ofQuorum(member('writes a file here that a job copies, under root')),
    getWitnessPlace: witness(
      'asks whether this node’s list names the caller as the witness; where it does, it reads that list',
    ),
  },
  Witness: {
    follow: member(
      'gives the witness a newer list of nodes, for which it looks into the store or asks the other nodes first; one without it only makes it look into the store. A witness whose vote does not count also takes one from a node that is new to it: a list that names both by their keys',
    ),
    renew: member('gives the witness the certificate that it asked for: one of the authority, for its own key'),
    followAuthority: member(
      'has the witness believe other authorities, that of its own certificate among them, and ask for another certificate, while the authority is replaced: it looks into the store or asks the other nodes first; without authorities it reads which it believes',
    ),
    forget: member(
      'asks the witness to forget the cluster: it does so where the list in the store has it leaving or removed',
    ),
  },
  Local: {
    getCib: local('reads configuration and status'),
    pushConfiguration: local('changes the configuration'),
    listConfigVersions: local('reads the history of the configuration'),
    getConfigVersion: local('reads a version of the configuration'),
    confirmChange: local('keeps a change that would be taken back'),
    getApplied: local('reads what a cluster file said when it was last applied'),
    getState: local('reads the state of the cluster'),
    watchState: local('follows the state of the cluster'),
    readJournal: local('reads what all nodes have written down of the cluster'),
    readOperations: local('reads how operations of resources ended on all nodes, and what their agents printed'),
    getMetrics: local('reads what the daemon has counted of its own work'),
    setTransientAttribute: local('sets or deletes a transient node attribute'),
    deleteHistory: local('cleans up the history of resources'),
    setTicket: local('changes a ticket'),
    fence: local('fences a node'),
    confirmFencing: local('confirms that a node is off'),
    cleanFencingHistory: local('deletes fencing history'),
    startCluster: local('starts nodes'),
    stopCluster: local('stops nodes'),
    enableCluster: local('says which nodes start with their hosts'),
    setupCluster: local('makes this host the first node of a cluster'),
    createJoinToken: local('makes a join token'),
    listJoinTokens: local('lists the join tokens that hold'),
    withdrawJoinTokens: local('withdraws join tokens'),
    joinCluster: local('makes this host a node of a cluster'),
    addNode: local('adds a node to the list'),
    removeNode: local('removes a node'),
    addLink: local('adds a link'),
    updateLink: local('changes a link'),
    removeLinks: local('removes links'),
    clearNode: local('forgets what is recorded of a node that is in no list'),
    destroyCluster: local('makes this host forget its cluster'),
    unblockQuorum: local('confirms that the other of two nodes is off'),
    setToken: local('changes the token'),
    addWitness: local('adds a witness to the list'),
    removeWitness: local('removes the witness'),
    replaceWitness: local('puts another witness in the place of the present one'),
    joinAsWitness: local('makes this host the witness'),
    getWitnessHost: local('reads how this host is as a witness'),
    changeWitnessHost: local('starts, stops or ends this host as a witness'),
    getCertificates: local('reads until when certificates hold'),
    getPkiStatus: local('reads which authorities the members believe, and until when their certificates hold'),
    rotateAuthority: local('replaces the cluster’s authority'),
    renewCertificate: local('renews the certificate of this node'),
    acquireLock: local('acquires or extends a named lock'),
    releaseLock: local('releases a named lock'),
    listLocks: local('reads the named locks'),
    startRollout: local('starts a rollout, which runs commands on nodes under root'),
    changeRollout: local('pauses, resumes, aborts or confirms a rollout'),
    getLifecycle: local('reads which versions nodes run and are to run, and settings for scripts on them'),
    triggerVersion: local('says which version all nodes are to run'),
    reportVersion: local('reports the version of a node, or the result of its configuration or validation'),
    changeSetting: local('sets or deletes a setting for scripts on nodes'),
    planFleetRollout: local('asks other clusters what a rollout would do there'),
    listRollouts: local('reads rollouts, their journals, and the versions of nodes'),
    acquireHolds: local('puts holds in force'),
    renewHolds: local('keeps holds in force'),
    releaseHolds: local('releases holds'),
    listHolds: local('reads the holds'),
    runJob: local('runs a command on nodes, under root'),
    listJobs: local('reads which commands were run, by whom, and how they ended'),
    getJob: local('follows a job'),
    cancelJob: local('ends a job'),
    readJobOutput: local('reads what a job has printed'),
    copyFile: local('writes a file on nodes, under root'),
    startPlay: local('starts a graph of steps, which runs commands on nodes under root'),
    changePlay: local('resumes or cancels a play'),
    listPlays: local('reads plays, and what their steps have printed'),
    getConsole: local('reads whether the HTTPS API of this node is open'),
    changeConsole: local('opens or closes the HTTPS API of this node'),
    changeConsoleCertificate: local('changes which certificate the HTTPS API of this node shows'),
    addApiClient: local('has the HTTPS API accept certificates of clients'),
    listApiClients: local('lists which certificates of clients the HTTPS API accepts'),
    removeApiClient: local('stops the HTTPS API from accepting certificates of clients'),
    openCertificate: local('passes on the certificate that a client has shown to the HTTPS API'),
    addFleetCluster: local('adds another cluster to the fleet'),
    removeFleetCluster: local('removes another cluster from the fleet'),
    getFleet: local('reads how the clusters of the fleet are'),
    createApiToken: local('makes a token for the HTTPS API'),
    listApiTokens: local('lists the tokens for the HTTPS API'),
    revokeApiToken: local('revokes a token for the HTTPS API'),
    whoAmI: local('reads who calls'),
    getPermission: local('asks whether who calls may make a call'),
    openSession: local('logs a user of this host in at the HTTPS API, whose process alone may ask; PAM decides'),
    closeSession: local('ends the session that is shown'),
    getHealth: local('asks whether this node is ready, or a resource active here'),
    testAlert: local('sends a test event to the recipients of an alert'),
  },
}

/** By its path, as `/systole.Node/Execute`. */
export function ruleOf(path: string): CallRule | undefined {
  const [service = '', method = ''] = path.replace(/^\/systole\./, '').split('/')
  const rules: Readonly<Record<string, CallRule>> | undefined = Object.hasOwn(callRules, service)
    ? callRules[service as keyof typeof callRules]
    : undefined
  const name = method.charAt(0).toLowerCase() + method.slice(1)
  return rules !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined
}
