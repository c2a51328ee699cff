/* Made from proto/systole.proto by scripts/generate-rpc.ts. Do not edit. */

export interface Report {
  readonly code: string
  readonly sentences: readonly string[]
}

export interface Empty {
}

export interface WitnessPlace {
  readonly listed: boolean
  readonly nodesVersion: number
  readonly json: string
}

export interface FollowRequest {
  readonly json: string
  readonly quorate: boolean
}

export interface WitnessAnswer {
  readonly json: string
  readonly started: boolean
  readonly problem?: string
  readonly publicKey?: string
  readonly counts: boolean
  readonly startedMs?: number
  readonly knowsLinks: boolean
  readonly knowsPulseTimes: boolean
}

export interface WitnessCertificate {
  readonly certificate: string
}

export interface ExecuteRequest {
  readonly term: number
  readonly transition: number
  readonly transitionKey: string
  readonly timeoutMs: number
  readonly action: string
  readonly plannedFrom: number
}

export interface TermAnswer {
  readonly accepted: boolean
  readonly done: boolean
  readonly why: string
  readonly highestTerm: number
  readonly message: string
  readonly loadAverage?: number
  readonly processors?: number
}

export interface RunFenceDeviceRequest {
  readonly term: number
  readonly id: string
  readonly target: string
  readonly action: string
  readonly device: string
  readonly timeoutMs: number
  readonly details: string
}

export interface RunFenceDeviceAnswer {
  readonly succeeded: boolean
  readonly message: string
  readonly highestTerm: number
  readonly details: string
}

export interface DestroyRequest {
  readonly force: boolean
}

export interface EnableNodeRequest {
  readonly enabled: boolean
}

export interface NodeAnswer {
  readonly node: string
  readonly ok: boolean
  readonly message: string
}

export interface ClusterFile {
  readonly json: string
}

export interface LinkAddresses {
  readonly addresses: readonly string[]
  readonly towards?: string
}

export interface LinkObstacles {
  readonly sentences: readonly string[]
}

export interface ClusterFileAnswer {
  readonly json: string
  readonly quorate: boolean
  readonly lease?: string
}

export interface Pulse {
  readonly node: string
  readonly incarnation: number
  readonly sequence: number
  readonly silent: readonly string[]
  readonly silentLinks: readonly SilentLink[]
  readonly padding: string
}

export interface SilentLink {
  readonly node: string
  readonly link: number
}

export interface WitnessHost {
  readonly clusterName: string
  readonly name: string
  readonly address: string
  readonly started: boolean
  readonly enabled: boolean
  readonly votes: boolean
  readonly counts: boolean
  readonly problem?: string
  readonly nodes: readonly ClusterNode[]
}

export interface WitnessHostChange {
  readonly kind: 'start' | 'stop' | 'enable' | 'disable' | 'destroy'
}

export interface Certificates {
  readonly node: string
  readonly validUntil: string
  readonly renewsAt: string
  readonly authorityValidUntil: string
}

export interface CibAnswer {
  readonly xml: string
  readonly version: number
}

export interface PushRequest {
  readonly xml: string
  readonly expectedVersion: number
  readonly user: string
  readonly command: string
  readonly applied?: AppliedDescription
  readonly confirmWithinMs?: number
  readonly changeId?: string
}

export interface AppliedDescription {
  readonly name: string
  readonly xml: string
}

export interface AppliedRequest {
  readonly name: string
}

export interface AppliedAnswer {
  readonly found: boolean
  readonly xml: string
  readonly version: number
  readonly time: string
  readonly user: string
}

export interface PushAnswer {
  readonly kind: 'saved' | 'conflict'
  readonly version: number
}

export interface ConfigVersion {
  readonly version: number
  readonly time: string
  readonly node: string
  readonly user: string
  readonly command: string
  readonly confirmUntil?: string
  readonly undoFailed?: string
}

export interface ConfigVersions {
  readonly versions: readonly ConfigVersion[]
}

export interface ConfirmChangeRequest {
  readonly version: number
  readonly also: readonly number[]
}

export interface ConfigVersionRequest {
  readonly version: number
}

export interface ConfigVersionAnswer {
  readonly found: boolean
  readonly entry: ConfigVersion
  readonly xml: string
}

export interface ConsoleRequest {
  readonly enabled: boolean
  readonly port?: number
}

export interface ConsoleStatus {
  readonly enabled: boolean
  readonly running: boolean
  readonly port: number
  readonly addresses: readonly string[]
  readonly trouble?: string
  readonly fingerprint?: string
  readonly authorityFingerprint?: string
  readonly certificate?: ConsoleCertificate
  readonly warnings: readonly string[]
}

export interface ConsoleCertificate {
  readonly subject: string
  readonly issuer: string
  readonly names: readonly string[]
  readonly validUntil: string
  readonly files: readonly string[]
}

export interface ConsoleCertificateRequest {
  readonly certificate?: string
  readonly key?: string
  readonly certificateFile?: string
  readonly keyFile?: string
}

export interface ApiClient {
  readonly name: string
  readonly isAuthority: boolean
  readonly certificate: string
  readonly commonNames: readonly string[]
  readonly kind: string
  readonly user: string
  readonly roles: readonly string[]
}

export interface ApiClientEntry {
  readonly client: ApiClient
  readonly subject: string
  readonly fingerprint: string
  readonly validUntil: string
  readonly createdBy: string
}

export interface ApiClients {
  readonly clients: readonly ApiClientEntry[]
}

export interface ApiClientName {
  readonly name: string
}

export interface ShownChain {
  readonly certificates: readonly string[]
  readonly isTrusted: boolean
}

export interface CertificateSession {
  readonly session: string
}

export interface FleetClusterRequest {
  readonly name: string
  readonly addresses: readonly string[]
  readonly token: string
  readonly fingerprint?: string
  readonly authority?: string
  readonly replaces: boolean
}

export interface FleetClusterName {
  readonly name: string
}

export interface FleetSentence {
  readonly level: string
  readonly text: string
}

export interface FleetKnown {
  readonly cluster: string
  readonly quorate: boolean
  readonly nodes: number
  readonly nodesOnline: number
  readonly urgent: number
}

export interface FleetCluster {
  readonly name: string
  readonly addresses: readonly string[]
  readonly trust: string
  readonly fingerprint: string
  readonly added: string
  readonly addedBy: string
  readonly state: string
  readonly since?: string
  readonly lastReached?: string
  readonly why?: string
  readonly known?: FleetKnown
  readonly worst: readonly FleetSentence[]
}

export interface FleetState {
  readonly clusters: readonly FleetCluster[]
  readonly isCurrent: boolean
}

export interface ApiTokenRequest {
  readonly name: string
  readonly roles: readonly string[]
  readonly validSeconds: number
}

export interface ApiTokenAnswer {
  readonly token: string
  readonly validUntil: string
}

export interface ApiTokenName {
  readonly name: string
}

export interface ApiToken {
  readonly name: string
  readonly roles: readonly string[]
  readonly created: string
  readonly validUntil: string
  readonly createdBy: string
  readonly isValid: boolean
}

export interface ApiTokens {
  readonly tokens: readonly ApiToken[]
}

export interface PermissionRequest {
  readonly call: string
  readonly request: string
}

export interface CallerName {
  readonly user: string
  readonly limited: boolean
  readonly validUntil?: string
}

export interface LoginRequest {
  readonly user: string
  readonly password: string
}

export interface LoginAnswer {
  readonly session: string
  readonly user: string
  readonly limited: boolean
  readonly validUntil: string
}

export interface AlertTestRequest {
  readonly alert: string
  readonly recipients: readonly string[]
}

export interface AlertTestAnswer {
  readonly node: string
  readonly results: readonly AlertTestAnswerResult[]
}

export interface AlertTestAnswerResult {
  readonly recipient?: string
  readonly value?: string
  readonly outcome: string
  readonly why?: string
}

export interface HealthRequest {
  readonly resource?: string
}

export interface Health {
  readonly started: boolean
  readonly quorate: boolean
  readonly member: boolean
  readonly active: string
}

export interface MetricsAnswer {
  readonly json: string
}

export interface StateRequest {
  readonly askStore?: boolean
}

export interface ClusterState {
  readonly configured: boolean
  readonly started: boolean
  readonly clusterName: string
  readonly localNode: string
  readonly quorate: boolean
  readonly votes: ClusterStateVotes
  readonly dc?: string
  readonly term?: number
  readonly members: readonly Member[]
  readonly transition: ClusterStateTransition
  readonly fencing: readonly FencingRecord[]
  readonly store: ClusterStateStoreState
  readonly configVersion: number
  readonly revision: number
  readonly notes: readonly string[]
  readonly twoNode?: ClusterStateTwoNode
  readonly enabled: boolean
  readonly witness?: ClusterStateWitness
  readonly tokenMs?: number
}

export interface ClusterStateVotes {
  readonly present: number
  readonly expected: number
  readonly needed: number
}

export interface ClusterStateTransition {
  readonly state: 'idle' | 'computing' | 'running' | 'blocked'
  readonly number: number
  readonly computedVersion: number
  readonly pending: readonly string[]
  readonly blockedBy: readonly string[]
  readonly blockedResources: readonly string[]
  readonly computedHolds?: number
}

export interface ClusterStateTwoNode {
  readonly fencingEnabled: boolean
  readonly alone: boolean
  readonly message?: string
}

export interface ClusterStateWitness {
  readonly name: string
  readonly address: string
  readonly state: 'silent' | 'stopped' | 'up'
  readonly votes: boolean
  readonly joiningVote?: boolean
  readonly problem?: string
}

export interface ClusterStateStoreState {
  readonly kind: string
  readonly healthy: boolean
  readonly message?: string
}

export interface Member {
  readonly node: string
  readonly address: string
  readonly state: 'offline' | 'joining' | 'member' | 'leaving' | 'lost'
  readonly votes: boolean
  readonly daemonVersion?: string
  readonly watchdogMs?: number
  readonly joiningVote?: boolean
  readonly links: readonly MemberLink[]
  readonly sbdDisks: readonly string[]
}

export interface MemberLink {
  readonly number: number
  readonly address: string
  readonly priority: number
  readonly state: 'unknown' | 'up' | 'down'
}

export interface JournalAnswer {
  readonly lines: string
  readonly missing: readonly string[]
}

export interface OperationsRequest {
  readonly resources: readonly string[]
  readonly most: number
}

export interface OperationsAnswer {
  readonly lines: readonly string[]
  readonly missing: readonly string[]
}

export interface FencingRecord {
  readonly id: string
  readonly target: string
  readonly action: string
  readonly device?: string
  readonly executedBy?: string
  readonly client?: string
  readonly begun: string
  readonly ended?: string
  readonly outcome: 'pending' | 'succeeded' | 'failed'
  readonly message?: string
}

export interface AttributeRequest {
  readonly node: string
  readonly name: string
  readonly value?: string
  readonly set?: string
}

export interface DeleteHistoryRequest {
  readonly resource?: string
  readonly node?: string
  readonly operation?: string
  readonly intervalMs?: number
  readonly onlyFailed: boolean
}

export interface DeleteHistoryAnswer {
  readonly deleted: readonly DeleteHistoryAnswerDeleted[]
}

export interface DeleteHistoryAnswerDeleted {
  readonly resource: string
  readonly node: string
}

export interface TicketRequest {
  readonly id: string
  readonly granted?: boolean
  readonly standby?: boolean
  readonly attributes: Readonly<Record<string, string>>
  readonly forget: boolean
}

export interface FenceRequest {
  readonly target: string
  readonly action: string
  readonly timeoutMs?: number
  readonly delayMs?: number
  readonly tag?: string
}

export interface FenceAnswer {
  readonly succeeded: boolean
  readonly message: string
}

export interface ConfirmRequest {
  readonly target: string
}

export interface FencingHistoryRequest {
  readonly target?: string
}

export interface FencingHistoryAnswer {
  readonly deleted: number
}

export interface EnableRequest {
  readonly nodes: readonly string[]
  readonly enabled: boolean
}

export interface NodesRequest {
  readonly nodes: readonly string[]
}

export interface NodeAnswers {
  readonly answers: readonly NodeAnswer[]
}

export interface ClusterNode {
  readonly name: string
  readonly address: string
  readonly more?: LinkAddresses
}

export interface LinkRequest {
  readonly number?: number
  readonly nodes: readonly ClusterNode[]
  readonly priority?: number
}

export interface LinkNumbers {
  readonly numbers: readonly number[]
}

export interface LinkAnswer {
  readonly number: number
  readonly pending: readonly string[]
}

export interface SetupRequest {
  readonly clusterName: string
  readonly nodes: readonly ClusterNode[]
  readonly options?: string
  readonly force: boolean
}

export interface NodePki {
  readonly node: string
  readonly trusts: readonly string[]
  readonly storeTrusts: boolean
  readonly certifiedBy: string
  readonly validUntil: string
  readonly renewsAt: string
  readonly authorityValidUntil: string
  readonly shares: readonly string[]
  readonly wholeKey: boolean
  readonly hosts: readonly HostPki[]
  readonly bringsHosts: boolean
}

export interface HostPki {
  readonly name: string
  readonly trusts: readonly string[]
  readonly certifiedBy: string
  readonly storeTrusts: boolean
  readonly publicKey?: string
  readonly problem?: string
}

export interface RotateRequest {
  readonly without: readonly string[]
}

export interface PkiOrder {
  readonly trust: readonly string[]
  readonly renew: boolean
}

export interface PkiStatus {
  readonly nodes: readonly NodePki[]
  readonly silent: readonly string[]
  readonly authority: string
  readonly generation?: string
  readonly threshold?: number
  readonly holders: readonly string[]
  readonly rotation?: string
  readonly waitsFor: readonly string[]
  readonly leftBehind: readonly string[]
}

export interface AuthorityQuestion {
  readonly authority: string
}

export interface AuthorityShares {
  readonly shares: readonly AuthorityShare[]
  readonly wholeKey?: string
}

export interface AuthorityShare {
  readonly generation: string
  readonly threshold: number
  readonly authority: string
  readonly share: string
}

export interface JoinTokenRequest {
  readonly validSeconds?: number
  readonly role?: string
  readonly node?: string
}

export interface JoinTokenAnswer {
  readonly token: string
  readonly validUntil: string
  readonly nodes: readonly NodeToken[]
}

export interface NodeToken {
  readonly node: string
  readonly token: string
}

export interface RunJobRequest {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly nodes: readonly string[]
  readonly role?: string
  readonly order: string
  readonly limit: number
  readonly timeoutMs: number
  readonly maxFail?: number
  readonly maxOutput?: number
  readonly queue: boolean
  readonly lock?: string
  readonly user: string
  readonly notes: boolean
}

export interface FilePart {
  readonly id: string
  readonly path: string
  readonly phase: string
  readonly offset: number
  readonly data: string
  readonly sha256: string
  readonly size: number
  readonly mode: number
  readonly remote?: string
}

export interface FileAnswer {
  readonly outcome: string
}

export interface CopyFileRequest {
  readonly part: FilePart
  readonly nodes: readonly string[]
  readonly role?: string
  readonly user: string
  readonly failed: Readonly<Record<string, string>>
  readonly unchanged: readonly string[]
}

export interface CopyFileAnswer {
  readonly nodes: readonly CopyFileAnswerNode[]
  readonly job?: Job
}

export interface CopyFileAnswerNode {
  readonly node: string
  readonly outcome: string
  readonly reason?: string
}

export interface GetJobRequest {
  readonly id: string
  readonly newerThan?: number
  readonly waitMs: number
}

export interface CancelJobRequest {
  readonly id: string
  readonly user: string
}

export interface JobOutputRequest {
  readonly id: string
  readonly node: string
  readonly offset: number
  readonly waitMs: number
  readonly task?: string
}

export interface TaskOutputRequest {
  readonly task: string
  readonly offset: number
  readonly waitMs: number
  readonly remote?: string
}

export interface JobOutput {
  readonly data: string
  readonly ended: boolean
  readonly note?: string
}

export interface Job {
  readonly id: string
  readonly user: string
  readonly node: string
  readonly created: string
  readonly ended?: string
  readonly argv: readonly string[]
  readonly order: string
  readonly limit: number
  readonly timeoutMs: number
  readonly maxFail?: number
  readonly queue: boolean
  readonly lock?: string
  readonly waitsForLock: boolean
  readonly state: string
  readonly nodes: readonly JobNode[]
  readonly revision: number
}

export interface JobNode {
  readonly node: string
  readonly state: string
  readonly task?: string
  readonly exitCode?: number
  readonly signal?: string
  readonly timedOut: boolean
  readonly reason?: string
  readonly started?: string
  readonly ended?: string
  readonly away: boolean
  readonly commands?: string
}

export interface Jobs {
  readonly jobs: readonly Job[]
}

export interface StartPlayRequest {
  readonly play: string
  readonly user: string
}

export interface PlayWordRequest {
  readonly id: string
  readonly word: string
  readonly user: string
}

export interface PlayAnswer {
  readonly id: string
  readonly state: string
}

export interface PlaysRequest {
  readonly id?: string
  readonly newerThan?: number
  readonly waitMs: number
}

export interface Plays {
  readonly known: string
  readonly revision: number
}

export interface StartRolloutRequest {
  readonly file: string
  readonly user: string
  readonly partOf?: string
}

export interface FleetPlans {
  readonly plans: string
}

export interface RolloutWordRequest {
  readonly id: string
  readonly word: string
  readonly user: string
}

export interface RolloutAnswer {
  readonly id: string
  readonly state: string
}

export interface RolloutsRequest {
  readonly id?: string
  readonly fromLine: number
}

export interface Rollouts {
  readonly known: string
}

export interface Lifecycle {
  readonly known: string
}

export interface TriggerVersionRequest {
  readonly version: string
  readonly force: boolean
  readonly user: string
}

export interface ReportVersionRequest {
  readonly node: string
  readonly version?: string
  readonly status?: string
  readonly exitCode?: number
  readonly tail?: string
  readonly user: string
}

export interface VersionAnswer {
  readonly outcome: string
  readonly version?: string
  readonly state?: string
  readonly rollout?: string
}

export interface SettingRequest {
  readonly kind: string
  readonly scope: string
  readonly name?: string
  readonly key: string
  readonly value?: string
  readonly user: string
}

export interface AcquireLockRequest {
  readonly name: string
  readonly owner?: string
  readonly ttlMs: number
  readonly reason?: string
  readonly holder?: string
  readonly renew: boolean
  readonly user: string
}

export interface ReleaseLockRequest {
  readonly name: string
  readonly owner?: string
  readonly holder?: string
  readonly force: boolean
  readonly user: string
}

export interface LockAnswer {
  readonly outcome: string
  readonly lock?: Lock
}

export interface Lock {
  readonly name: string
  readonly owner: string
  readonly node: string
  readonly user: string
  readonly reason?: string
  readonly since: string
  readonly renewed: string
  readonly ttlMs: number
  readonly kept: boolean
}

export interface AcquireHoldsRequest {
  readonly holds: readonly AcquireHoldsRequestWanted[]
  readonly reason?: string
  readonly ttlMs?: number
  readonly holder?: string
  readonly command?: string
  readonly user: string
}

export interface AcquireHoldsRequestWanted {
  readonly kind: string
  readonly node?: string
  readonly resource?: string
  readonly role?: string
}

export interface RenewHoldsRequest {
  readonly ids: readonly string[]
  readonly holder: string
}

export interface ReleaseHoldsRequest {
  readonly ids: readonly string[]
  readonly holder?: string
  readonly force: boolean
  readonly user: string
}

export interface HoldsAnswer {
  readonly outcome: string
  readonly holds: readonly Hold[]
  readonly revision: number
}

export interface Hold {
  readonly id: string
  readonly kind: string
  readonly node?: string
  readonly resource?: string
  readonly role?: string
  readonly owner: HoldOwner
  readonly reason?: string
  readonly since: string
  readonly ttlMs?: number
  readonly kept: boolean
}

export interface HoldOwner {
  readonly kind: string
  readonly name: string
  readonly user: string
  readonly node: string
}

export interface Locks {
  readonly locks: readonly Lock[]
}

export interface JoinTokens {
  readonly tokens: readonly JoinTokensToken[]
  readonly events: readonly JoinTokensEvent[]
  readonly strangers: readonly JoinTokensEvent[]
}

export interface JoinTokensToken {
  readonly id: string
  readonly role: string
  readonly node: string
  readonly issuedAt: string
  readonly validUntil: string
  readonly state: string
  readonly usedBy?: string
  readonly usedAt?: string
  readonly usedFrom?: string
  readonly madeBy?: string
  readonly madeFor?: string
}

export interface JoinTokensEvent {
  readonly time: string
  readonly kind: string
  readonly by: string
  readonly token?: string
  readonly role: string
  readonly node: string
  readonly address?: string
  readonly why?: string
}

export interface JoinTokenIds {
  readonly ids: readonly string[]
}

export interface JoinTokenCount {
  readonly withdrawn: number
}

export interface JoinRequest {
  readonly address: string
  readonly token: string
  readonly nodeName?: string
  readonly force: boolean
}

export interface JoinAnswer {
  readonly clusterName: string
  readonly node: string
}

export interface NodeRequest {
  readonly node: string
}

export interface RemoveNodeRequest {
  readonly node: string
  readonly cancel: boolean
}

export interface TokenRequest {
  readonly tokenMs: number
}

export interface TokenAnswer {
  readonly beforeMs: number
}

export interface UnblockRequest {
  readonly confirmed: readonly string[]
  readonly onlyAsk: boolean
}

export interface UnblockAnswer {
  readonly nodes: readonly string[]
}

export interface Messages {
  readonly 'Report': Report
  readonly 'Empty': Empty
  readonly 'WitnessPlace': WitnessPlace
  readonly 'FollowRequest': FollowRequest
  readonly 'WitnessAnswer': WitnessAnswer
  readonly 'WitnessCertificate': WitnessCertificate
  readonly 'ExecuteRequest': ExecuteRequest
  readonly 'TermAnswer': TermAnswer
  readonly 'RunFenceDeviceRequest': RunFenceDeviceRequest
  readonly 'RunFenceDeviceAnswer': RunFenceDeviceAnswer
  readonly 'DestroyRequest': DestroyRequest
  readonly 'EnableNodeRequest': EnableNodeRequest
  readonly 'NodeAnswer': NodeAnswer
  readonly 'ClusterFile': ClusterFile
  readonly 'LinkAddresses': LinkAddresses
  readonly 'LinkObstacles': LinkObstacles
  readonly 'ClusterFileAnswer': ClusterFileAnswer
  readonly 'Pulse': Pulse
  readonly 'SilentLink': SilentLink
  readonly 'WitnessHost': WitnessHost
  readonly 'WitnessHostChange': WitnessHostChange
  readonly 'Certificates': Certificates
  readonly 'CibAnswer': CibAnswer
  readonly 'PushRequest': PushRequest
  readonly 'AppliedDescription': AppliedDescription
  readonly 'AppliedRequest': AppliedRequest
  readonly 'AppliedAnswer': AppliedAnswer
  readonly 'PushAnswer': PushAnswer
  readonly 'ConfigVersion': ConfigVersion
  readonly 'ConfigVersions': ConfigVersions
  readonly 'ConfirmChangeRequest': ConfirmChangeRequest
  readonly 'ConfigVersionRequest': ConfigVersionRequest
  readonly 'ConfigVersionAnswer': ConfigVersionAnswer
  readonly 'ConsoleRequest': ConsoleRequest
  readonly 'ConsoleStatus': ConsoleStatus
  readonly 'ConsoleCertificate': ConsoleCertificate
  readonly 'ConsoleCertificateRequest': ConsoleCertificateRequest
  readonly 'ApiClient': ApiClient
  readonly 'ApiClientEntry': ApiClientEntry
  readonly 'ApiClients': ApiClients
  readonly 'ApiClientName': ApiClientName
  readonly 'ShownChain': ShownChain
  readonly 'CertificateSession': CertificateSession
  readonly 'FleetClusterRequest': FleetClusterRequest
  readonly 'FleetClusterName': FleetClusterName
  readonly 'FleetSentence': FleetSentence
  readonly 'FleetKnown': FleetKnown
  readonly 'FleetCluster': FleetCluster
  readonly 'FleetState': FleetState
  readonly 'ApiTokenRequest': ApiTokenRequest
  readonly 'ApiTokenAnswer': ApiTokenAnswer
  readonly 'ApiTokenName': ApiTokenName
  readonly 'ApiToken': ApiToken
  readonly 'ApiTokens': ApiTokens
  readonly 'PermissionRequest': PermissionRequest
  readonly 'CallerName': CallerName
  readonly 'LoginRequest': LoginRequest
  readonly 'LoginAnswer': LoginAnswer
  readonly 'AlertTestRequest': AlertTestRequest
  readonly 'AlertTestAnswer': AlertTestAnswer
  readonly 'AlertTestAnswer.Result': AlertTestAnswerResult
  readonly 'HealthRequest': HealthRequest
  readonly 'Health': Health
  readonly 'MetricsAnswer': MetricsAnswer
  readonly 'StateRequest': StateRequest
  readonly 'ClusterState': ClusterState
  readonly 'ClusterState.Votes': ClusterStateVotes
  readonly 'ClusterState.Transition': ClusterStateTransition
  readonly 'ClusterState.TwoNode': ClusterStateTwoNode
  readonly 'ClusterState.Witness': ClusterStateWitness
  readonly 'ClusterState.StoreState': ClusterStateStoreState
  readonly 'Member': Member
  readonly 'MemberLink': MemberLink
  readonly 'JournalAnswer': JournalAnswer
  readonly 'OperationsRequest': OperationsRequest
  readonly 'OperationsAnswer': OperationsAnswer
  readonly 'FencingRecord': FencingRecord
  readonly 'AttributeRequest': AttributeRequest
  readonly 'DeleteHistoryRequest': DeleteHistoryRequest
  readonly 'DeleteHistoryAnswer': DeleteHistoryAnswer
  readonly 'DeleteHistoryAnswer.Deleted': DeleteHistoryAnswerDeleted
  readonly 'TicketRequest': TicketRequest
  readonly 'FenceRequest': FenceRequest
  readonly 'FenceAnswer': FenceAnswer
  readonly 'ConfirmRequest': ConfirmRequest
  readonly 'FencingHistoryRequest': FencingHistoryRequest
  readonly 'FencingHistoryAnswer': FencingHistoryAnswer
  readonly 'EnableRequest': EnableRequest
  readonly 'NodesRequest': NodesRequest
  readonly 'NodeAnswers': NodeAnswers
  readonly 'ClusterNode': ClusterNode
  readonly 'LinkRequest': LinkRequest
  readonly 'LinkNumbers': LinkNumbers
  readonly 'LinkAnswer': LinkAnswer
  readonly 'SetupRequest': SetupRequest
  readonly 'NodePki': NodePki
  readonly 'HostPki': HostPki
  readonly 'RotateRequest': RotateRequest
  readonly 'PkiOrder': PkiOrder
  readonly 'PkiStatus': PkiStatus
  readonly 'AuthorityQuestion': AuthorityQuestion
  readonly 'AuthorityShares': AuthorityShares
  readonly 'AuthorityShare': AuthorityShare
  readonly 'JoinTokenRequest': JoinTokenRequest
  readonly 'JoinTokenAnswer': JoinTokenAnswer
  readonly 'NodeToken': NodeToken
  readonly 'RunJobRequest': RunJobRequest
  readonly 'FilePart': FilePart
  readonly 'FileAnswer': FileAnswer
  readonly 'CopyFileRequest': CopyFileRequest
  readonly 'CopyFileAnswer': CopyFileAnswer
  readonly 'CopyFileAnswer.Node': CopyFileAnswerNode
  readonly 'GetJobRequest': GetJobRequest
  readonly 'CancelJobRequest': CancelJobRequest
  readonly 'JobOutputRequest': JobOutputRequest
  readonly 'TaskOutputRequest': TaskOutputRequest
  readonly 'JobOutput': JobOutput
  readonly 'Job': Job
  readonly 'Job.Node': JobNode
  readonly 'Jobs': Jobs
  readonly 'StartPlayRequest': StartPlayRequest
  readonly 'PlayWordRequest': PlayWordRequest
  readonly 'PlayAnswer': PlayAnswer
  readonly 'PlaysRequest': PlaysRequest
  readonly 'Plays': Plays
  readonly 'StartRolloutRequest': StartRolloutRequest
  readonly 'FleetPlans': FleetPlans
  readonly 'RolloutWordRequest': RolloutWordRequest
  readonly 'RolloutAnswer': RolloutAnswer
  readonly 'RolloutsRequest': RolloutsRequest
  readonly 'Rollouts': Rollouts
  readonly 'Lifecycle': Lifecycle
  readonly 'TriggerVersionRequest': TriggerVersionRequest
  readonly 'ReportVersionRequest': ReportVersionRequest
  readonly 'VersionAnswer': VersionAnswer
  readonly 'SettingRequest': SettingRequest
  readonly 'AcquireLockRequest': AcquireLockRequest
  readonly 'ReleaseLockRequest': ReleaseLockRequest
  readonly 'LockAnswer': LockAnswer
  readonly 'Lock': Lock
  readonly 'AcquireHoldsRequest': AcquireHoldsRequest
  readonly 'AcquireHoldsRequest.Wanted': AcquireHoldsRequestWanted
  readonly 'RenewHoldsRequest': RenewHoldsRequest
  readonly 'ReleaseHoldsRequest': ReleaseHoldsRequest
  readonly 'HoldsAnswer': HoldsAnswer
  readonly 'Hold': Hold
  readonly 'Hold.Owner': HoldOwner
  readonly 'Locks': Locks
  readonly 'JoinTokens': JoinTokens
  readonly 'JoinTokens.Token': JoinTokensToken
  readonly 'JoinTokens.Event': JoinTokensEvent
  readonly 'JoinTokenIds': JoinTokenIds
  readonly 'JoinTokenCount': JoinTokenCount
  readonly 'JoinRequest': JoinRequest
  readonly 'JoinAnswer': JoinAnswer
  readonly 'NodeRequest': NodeRequest
  readonly 'RemoveNodeRequest': RemoveNodeRequest
  readonly 'TokenRequest': TokenRequest
  readonly 'TokenAnswer': TokenAnswer
  readonly 'UnblockRequest': UnblockRequest
  readonly 'UnblockAnswer': UnblockAnswer
}

export const nodeService = {
  execute: { path: '/systole.Node/Execute', request: 'ExecuteRequest', response: 'TermAnswer', requestStream: false, responseStream: false },
  runFenceDevice: { path: '/systole.Node/RunFenceDevice', request: 'RunFenceDeviceRequest', response: 'RunFenceDeviceAnswer', requestStream: false, responseStream: false },
  fence: { path: '/systole.Node/Fence', request: 'FenceRequest', response: 'FenceAnswer', requestStream: false, responseStream: false },
  startCluster: { path: '/systole.Node/StartCluster', request: 'Empty', response: 'NodeAnswer', requestStream: false, responseStream: false },
  stopCluster: { path: '/systole.Node/StopCluster', request: 'Empty', response: 'NodeAnswer', requestStream: false, responseStream: false },
  enableCluster: { path: '/systole.Node/EnableCluster', request: 'EnableNodeRequest', response: 'NodeAnswer', requestStream: false, responseStream: false },
  updateClusterFile: { path: '/systole.Node/UpdateClusterFile', request: 'ClusterFile', response: 'Empty', requestStream: false, responseStream: false },
  forget: { path: '/systole.Node/Forget', request: 'Empty', response: 'Empty', requestStream: false, responseStream: false },
  getClusterFile: { path: '/systole.Node/GetClusterFile', request: 'Empty', response: 'ClusterFileAnswer', requestStream: false, responseStream: false },
  checkLinks: { path: '/systole.Node/CheckLinks', request: 'LinkAddresses', response: 'LinkObstacles', requestStream: false, responseStream: false },
  getAuthorityShares: { path: '/systole.Node/GetAuthorityShares', request: 'AuthorityQuestion', response: 'AuthorityShares', requestStream: false, responseStream: false },
  keepAuthorityShare: { path: '/systole.Node/KeepAuthorityShare', request: 'AuthorityShare', response: 'Empty', requestStream: false, responseStream: false },
  getPki: { path: '/systole.Node/GetPki', request: 'Empty', response: 'NodePki', requestStream: false, responseStream: false },
  bringPki: { path: '/systole.Node/BringPki', request: 'PkiOrder', response: 'Empty', requestStream: false, responseStream: false },
  getWitnessPlace: { path: '/systole.Node/GetWitnessPlace', request: 'Empty', response: 'WitnessPlace', requestStream: false, responseStream: false },
  readTaskOutput: { path: '/systole.Node/ReadTaskOutput', request: 'TaskOutputRequest', response: 'JobOutput', requestStream: false, responseStream: false },
  writeFile: { path: '/systole.Node/WriteFile', request: 'FilePart', response: 'FileAnswer', requestStream: false, responseStream: false },
  readJournal: { path: '/systole.Node/ReadJournal', request: 'Empty', response: 'JournalAnswer', requestStream: false, responseStream: false },
  readOperations: { path: '/systole.Node/ReadOperations', request: 'OperationsRequest', response: 'OperationsAnswer', requestStream: false, responseStream: false },
} as const

export const witnessService = {
  follow: { path: '/systole.Witness/Follow', request: 'FollowRequest', response: 'WitnessAnswer', requestStream: false, responseStream: false },
  renew: { path: '/systole.Witness/Renew', request: 'WitnessCertificate', response: 'Empty', requestStream: false, responseStream: false },
  followAuthority: { path: '/systole.Witness/FollowAuthority', request: 'PkiOrder', response: 'HostPki', requestStream: false, responseStream: false },
  forget: { path: '/systole.Witness/Forget', request: 'Empty', response: 'Empty', requestStream: false, responseStream: false },
} as const

export const localService = {
  getCib: { path: '/systole.Local/GetCib', request: 'Empty', response: 'CibAnswer', requestStream: false, responseStream: false },
  pushConfiguration: { path: '/systole.Local/PushConfiguration', request: 'PushRequest', response: 'PushAnswer', requestStream: false, responseStream: false },
  listConfigVersions: { path: '/systole.Local/ListConfigVersions', request: 'Empty', response: 'ConfigVersions', requestStream: false, responseStream: false },
  getConfigVersion: { path: '/systole.Local/GetConfigVersion', request: 'ConfigVersionRequest', response: 'ConfigVersionAnswer', requestStream: false, responseStream: false },
  confirmChange: { path: '/systole.Local/ConfirmChange', request: 'ConfirmChangeRequest', response: 'Empty', requestStream: false, responseStream: false },
  getApplied: { path: '/systole.Local/GetApplied', request: 'AppliedRequest', response: 'AppliedAnswer', requestStream: false, responseStream: false },
  getState: { path: '/systole.Local/GetState', request: 'StateRequest', response: 'ClusterState', requestStream: false, responseStream: false },
  watchState: { path: '/systole.Local/WatchState', request: 'Empty', response: 'ClusterState', requestStream: false, responseStream: true },
  getMetrics: { path: '/systole.Local/GetMetrics', request: 'Empty', response: 'MetricsAnswer', requestStream: false, responseStream: false },
  readJournal: { path: '/systole.Local/ReadJournal', request: 'Empty', response: 'JournalAnswer', requestStream: false, responseStream: false },
  readOperations: { path: '/systole.Local/ReadOperations', request: 'OperationsRequest', response: 'OperationsAnswer', requestStream: false, responseStream: false },
  setTransientAttribute: { path: '/systole.Local/SetTransientAttribute', request: 'AttributeRequest', response: 'Empty', requestStream: false, responseStream: false },
  deleteHistory: { path: '/systole.Local/DeleteHistory', request: 'DeleteHistoryRequest', response: 'DeleteHistoryAnswer', requestStream: false, responseStream: false },
  setTicket: { path: '/systole.Local/SetTicket', request: 'TicketRequest', response: 'Empty', requestStream: false, responseStream: false },
  fence: { path: '/systole.Local/Fence', request: 'FenceRequest', response: 'FenceAnswer', requestStream: false, responseStream: false },
  confirmFencing: { path: '/systole.Local/ConfirmFencing', request: 'ConfirmRequest', response: 'Empty', requestStream: false, responseStream: false },
  cleanFencingHistory: { path: '/systole.Local/CleanFencingHistory', request: 'FencingHistoryRequest', response: 'FencingHistoryAnswer', requestStream: false, responseStream: false },
  startCluster: { path: '/systole.Local/StartCluster', request: 'NodesRequest', response: 'NodeAnswers', requestStream: false, responseStream: false },
  stopCluster: { path: '/systole.Local/StopCluster', request: 'NodesRequest', response: 'NodeAnswers', requestStream: false, responseStream: false },
  enableCluster: { path: '/systole.Local/EnableCluster', request: 'EnableRequest', response: 'NodeAnswers', requestStream: false, responseStream: false },
  setupCluster: { path: '/systole.Local/SetupCluster', request: 'SetupRequest', response: 'JoinTokenAnswer', requestStream: false, responseStream: false },
  createJoinToken: { path: '/systole.Local/CreateJoinToken', request: 'JoinTokenRequest', response: 'JoinTokenAnswer', requestStream: false, responseStream: false },
  listJoinTokens: { path: '/systole.Local/ListJoinTokens', request: 'Empty', response: 'JoinTokens', requestStream: false, responseStream: false },
  withdrawJoinTokens: { path: '/systole.Local/WithdrawJoinTokens', request: 'JoinTokenIds', response: 'JoinTokenCount', requestStream: false, responseStream: false },
  joinCluster: { path: '/systole.Local/JoinCluster', request: 'JoinRequest', response: 'JoinAnswer', requestStream: false, responseStream: false },
  addNode: { path: '/systole.Local/AddNode', request: 'ClusterNode', response: 'JoinTokenAnswer', requestStream: false, responseStream: false },
  removeNode: { path: '/systole.Local/RemoveNode', request: 'RemoveNodeRequest', response: 'Empty', requestStream: false, responseStream: false },
  addLink: { path: '/systole.Local/AddLink', request: 'LinkRequest', response: 'LinkAnswer', requestStream: false, responseStream: false },
  updateLink: { path: '/systole.Local/UpdateLink', request: 'LinkRequest', response: 'LinkAnswer', requestStream: false, responseStream: false },
  removeLinks: { path: '/systole.Local/RemoveLinks', request: 'LinkNumbers', response: 'LinkAnswer', requestStream: false, responseStream: false },
  clearNode: { path: '/systole.Local/ClearNode', request: 'NodeRequest', response: 'Empty', requestStream: false, responseStream: false },
  destroyCluster: { path: '/systole.Local/DestroyCluster', request: 'DestroyRequest', response: 'Empty', requestStream: false, responseStream: false },
  unblockQuorum: { path: '/systole.Local/UnblockQuorum', request: 'UnblockRequest', response: 'UnblockAnswer', requestStream: false, responseStream: false },
  setToken: { path: '/systole.Local/SetToken', request: 'TokenRequest', response: 'TokenAnswer', requestStream: false, responseStream: false },
  addWitness: { path: '/systole.Local/AddWitness', request: 'ClusterNode', response: 'JoinTokenAnswer', requestStream: false, responseStream: false },
  removeWitness: { path: '/systole.Local/RemoveWitness', request: 'ClusterNode', response: 'Empty', requestStream: false, responseStream: false },
  replaceWitness: { path: '/systole.Local/ReplaceWitness', request: 'ClusterNode', response: 'JoinTokenAnswer', requestStream: false, responseStream: false },
  joinAsWitness: { path: '/systole.Local/JoinAsWitness', request: 'JoinRequest', response: 'JoinAnswer', requestStream: false, responseStream: false },
  getWitnessHost: { path: '/systole.Local/GetWitnessHost', request: 'Empty', response: 'WitnessHost', requestStream: false, responseStream: false },
  changeWitnessHost: { path: '/systole.Local/ChangeWitnessHost', request: 'WitnessHostChange', response: 'Empty', requestStream: false, responseStream: false },
  getCertificates: { path: '/systole.Local/GetCertificates', request: 'Empty', response: 'Certificates', requestStream: false, responseStream: false },
  getPkiStatus: { path: '/systole.Local/GetPkiStatus', request: 'Empty', response: 'PkiStatus', requestStream: false, responseStream: false },
  rotateAuthority: { path: '/systole.Local/RotateAuthority', request: 'RotateRequest', response: 'PkiStatus', requestStream: false, responseStream: false },
  renewCertificate: { path: '/systole.Local/RenewCertificate', request: 'Empty', response: 'Certificates', requestStream: false, responseStream: false },
  acquireLock: { path: '/systole.Local/AcquireLock', request: 'AcquireLockRequest', response: 'LockAnswer', requestStream: false, responseStream: false },
  releaseLock: { path: '/systole.Local/ReleaseLock', request: 'ReleaseLockRequest', response: 'LockAnswer', requestStream: false, responseStream: false },
  listLocks: { path: '/systole.Local/ListLocks', request: 'Empty', response: 'Locks', requestStream: false, responseStream: false },
  startRollout: { path: '/systole.Local/StartRollout', request: 'StartRolloutRequest', response: 'RolloutAnswer', requestStream: false, responseStream: false },
  changeRollout: { path: '/systole.Local/ChangeRollout', request: 'RolloutWordRequest', response: 'RolloutAnswer', requestStream: false, responseStream: false },
  listRollouts: { path: '/systole.Local/ListRollouts', request: 'RolloutsRequest', response: 'Rollouts', requestStream: false, responseStream: false },
  planFleetRollout: { path: '/systole.Local/PlanFleetRollout', request: 'StartRolloutRequest', response: 'FleetPlans', requestStream: false, responseStream: false },
  getLifecycle: { path: '/systole.Local/GetLifecycle', request: 'Empty', response: 'Lifecycle', requestStream: false, responseStream: false },
  triggerVersion: { path: '/systole.Local/TriggerVersion', request: 'TriggerVersionRequest', response: 'VersionAnswer', requestStream: false, responseStream: false },
  reportVersion: { path: '/systole.Local/ReportVersion', request: 'ReportVersionRequest', response: 'VersionAnswer', requestStream: false, responseStream: false },
  changeSetting: { path: '/systole.Local/ChangeSetting', request: 'SettingRequest', response: 'Empty', requestStream: false, responseStream: false },
  acquireHolds: { path: '/systole.Local/AcquireHolds', request: 'AcquireHoldsRequest', response: 'HoldsAnswer', requestStream: false, responseStream: false },
  renewHolds: { path: '/systole.Local/RenewHolds', request: 'RenewHoldsRequest', response: 'HoldsAnswer', requestStream: false, responseStream: false },
  releaseHolds: { path: '/systole.Local/ReleaseHolds', request: 'ReleaseHoldsRequest', response: 'HoldsAnswer', requestStream: false, responseStream: false },
  listHolds: { path: '/systole.Local/ListHolds', request: 'Empty', response: 'HoldsAnswer', requestStream: false, responseStream: false },
  runJob: { path: '/systole.Local/RunJob', request: 'RunJobRequest', response: 'Job', requestStream: false, responseStream: false },
  listJobs: { path: '/systole.Local/ListJobs', request: 'Empty', response: 'Jobs', requestStream: false, responseStream: false },
  getJob: { path: '/systole.Local/GetJob', request: 'GetJobRequest', response: 'Job', requestStream: false, responseStream: false },
  cancelJob: { path: '/systole.Local/CancelJob', request: 'CancelJobRequest', response: 'Job', requestStream: false, responseStream: false },
  readJobOutput: { path: '/systole.Local/ReadJobOutput', request: 'JobOutputRequest', response: 'JobOutput', requestStream: false, responseStream: false },
  copyFile: { path: '/systole.Local/CopyFile', request: 'CopyFileRequest', response: 'CopyFileAnswer', requestStream: false, responseStream: false },
  startPlay: { path: '/systole.Local/StartPlay', request: 'StartPlayRequest', response: 'PlayAnswer', requestStream: false, responseStream: false },
  changePlay: { path: '/systole.Local/ChangePlay', request: 'PlayWordRequest', response: 'PlayAnswer', requestStream: false, responseStream: false },
  listPlays: { path: '/systole.Local/ListPlays', request: 'PlaysRequest', response: 'Plays', requestStream: false, responseStream: false },
  getConsole: { path: '/systole.Local/GetConsole', request: 'Empty', response: 'ConsoleStatus', requestStream: false, responseStream: false },
  changeConsole: { path: '/systole.Local/ChangeConsole', request: 'ConsoleRequest', response: 'ConsoleStatus', requestStream: false, responseStream: false },
  changeConsoleCertificate: { path: '/systole.Local/ChangeConsoleCertificate', request: 'ConsoleCertificateRequest', response: 'ConsoleStatus', requestStream: false, responseStream: false },
  addApiClient: { path: '/systole.Local/AddApiClient', request: 'ApiClient', response: 'ApiClientEntry', requestStream: false, responseStream: false },
  listApiClients: { path: '/systole.Local/ListApiClients', request: 'Empty', response: 'ApiClients', requestStream: false, responseStream: false },
  removeApiClient: { path: '/systole.Local/RemoveApiClient', request: 'ApiClientName', response: 'Empty', requestStream: false, responseStream: false },
  openCertificate: { path: '/systole.Local/OpenCertificate', request: 'ShownChain', response: 'CertificateSession', requestStream: false, responseStream: false },
  addFleetCluster: { path: '/systole.Local/AddFleetCluster', request: 'FleetClusterRequest', response: 'FleetCluster', requestStream: false, responseStream: false },
  removeFleetCluster: { path: '/systole.Local/RemoveFleetCluster', request: 'FleetClusterName', response: 'Empty', requestStream: false, responseStream: false },
  getFleet: { path: '/systole.Local/GetFleet', request: 'Empty', response: 'FleetState', requestStream: false, responseStream: false },
  createApiToken: { path: '/systole.Local/CreateApiToken', request: 'ApiTokenRequest', response: 'ApiTokenAnswer', requestStream: false, responseStream: false },
  listApiTokens: { path: '/systole.Local/ListApiTokens', request: 'Empty', response: 'ApiTokens', requestStream: false, responseStream: false },
  revokeApiToken: { path: '/systole.Local/RevokeApiToken', request: 'ApiTokenName', response: 'Empty', requestStream: false, responseStream: false },
  whoAmI: { path: '/systole.Local/WhoAmI', request: 'Empty', response: 'CallerName', requestStream: false, responseStream: false },
  getPermission: { path: '/systole.Local/GetPermission', request: 'PermissionRequest', response: 'Empty', requestStream: false, responseStream: false },
  openSession: { path: '/systole.Local/OpenSession', request: 'LoginRequest', response: 'LoginAnswer', requestStream: false, responseStream: false },
  closeSession: { path: '/systole.Local/CloseSession', request: 'Empty', response: 'Empty', requestStream: false, responseStream: false },
  getHealth: { path: '/systole.Local/GetHealth', request: 'HealthRequest', response: 'Health', requestStream: false, responseStream: false },
  testAlert: { path: '/systole.Local/TestAlert', request: 'AlertTestRequest', response: 'AlertTestAnswer', requestStream: false, responseStream: false },
} as const

export const descriptor = {"nested":{"systole":{"nested":{"Report":{"fields":{"code":{"type":"string","id":1},"sentences":{"rule":"repeated","type":"string","id":2}}},"Empty":{"fields":{}},"Node":{"methods":{"Execute":{"requestType":"ExecuteRequest","responseType":"TermAnswer"},"RunFenceDevice":{"requestType":"RunFenceDeviceRequest","responseType":"RunFenceDeviceAnswer"},"Fence":{"requestType":"FenceRequest","responseType":"FenceAnswer"},"StartCluster":{"requestType":"Empty","responseType":"NodeAnswer"},"StopCluster":{"requestType":"Empty","responseType":"NodeAnswer"},"EnableCluster":{"requestType":"EnableNodeRequest","responseType":"NodeAnswer"},"UpdateClusterFile":{"requestType":"ClusterFile","responseType":"Empty"},"Forget":{"requestType":"Empty","responseType":"Empty"},"GetClusterFile":{"requestType":"Empty","responseType":"ClusterFileAnswer"},"CheckLinks":{"requestType":"LinkAddresses","responseType":"LinkObstacles"},"GetAuthorityShares":{"requestType":"AuthorityQuestion","responseType":"AuthorityShares"},"KeepAuthorityShare":{"requestType":"AuthorityShare","responseType":"Empty"},"GetPki":{"requestType":"Empty","responseType":"NodePki"},"BringPki":{"requestType":"PkiOrder","responseType":"Empty"},"GetWitnessPlace":{"requestType":"Empty","responseType":"WitnessPlace"},"ReadTaskOutput":{"requestType":"TaskOutputRequest","responseType":"JobOutput"},"WriteFile":{"requestType":"FilePart","responseType":"FileAnswer"},"ReadJournal":{"requestType":"Empty","responseType":"JournalAnswer"},"ReadOperations":{"requestType":"OperationsRequest","responseType":"OperationsAnswer"}}},"Witness":{"methods":{"Follow":{"requestType":"FollowRequest","responseType":"WitnessAnswer"},"Renew":{"requestType":"WitnessCertificate","responseType":"Empty"},"FollowAuthority":{"requestType":"PkiOrder","responseType":"HostPki"},"Forget":{"requestType":"Empty","responseType":"Empty"}}},"WitnessPlace":{"fields":{"listed":{"type":"bool","id":1},"nodesVersion":{"type":"double","id":2,"protoName":"nodes_version"},"json":{"type":"string","id":3}}},"FollowRequest":{"fields":{"json":{"type":"string","id":1},"quorate":{"type":"bool","id":2}}},"WitnessAnswer":{"oneofs":{"_problem":{"oneof":["problem"]},"_publicKey":{"oneof":["publicKey"]},"_startedMs":{"oneof":["startedMs"]}},"fields":{"json":{"type":"string","id":1},"started":{"type":"bool","id":2},"problem":{"type":"string","id":3,"options":{"proto3_optional":true}},"publicKey":{"type":"string","id":4,"protoName":"public_key","options":{"proto3_optional":true}},"counts":{"type":"bool","id":5},"startedMs":{"type":"double","id":6,"protoName":"started_ms","options":{"proto3_optional":true}},"knowsLinks":{"type":"bool","id":7,"protoName":"knows_links"},"knowsPulseTimes":{"type":"bool","id":8,"protoName":"knows_pulse_times"}}},"WitnessCertificate":{"fields":{"certificate":{"type":"string","id":1}}},"ExecuteRequest":{"fields":{"term":{"type":"double","id":1},"transition":{"type":"double","id":2},"transitionKey":{"type":"string","id":3,"protoName":"transition_key"},"timeoutMs":{"type":"double","id":4,"protoName":"timeout_ms"},"action":{"type":"string","id":5},"plannedFrom":{"type":"double","id":6,"protoName":"planned_from"}}},"TermAnswer":{"oneofs":{"_loadAverage":{"oneof":["loadAverage"]},"_processors":{"oneof":["processors"]}},"fields":{"accepted":{"type":"bool","id":1},"done":{"type":"bool","id":2},"why":{"type":"string","id":3},"highestTerm":{"type":"double","id":4,"protoName":"highest_term"},"message":{"type":"string","id":5},"loadAverage":{"type":"double","id":6,"protoName":"load_average","options":{"proto3_optional":true}},"processors":{"type":"double","id":7,"options":{"proto3_optional":true}}}},"RunFenceDeviceRequest":{"fields":{"term":{"type":"double","id":1},"id":{"type":"string","id":2},"target":{"type":"string","id":3},"action":{"type":"string","id":4},"device":{"type":"string","id":5},"timeoutMs":{"type":"double","id":6,"protoName":"timeout_ms"},"details":{"type":"string","id":7}}},"RunFenceDeviceAnswer":{"fields":{"succeeded":{"type":"bool","id":1},"message":{"type":"string","id":2},"highestTerm":{"type":"double","id":3,"protoName":"highest_term"},"details":{"type":"string","id":4}}},"DestroyRequest":{"fields":{"force":{"type":"bool","id":1}}},"EnableNodeRequest":{"fields":{"enabled":{"type":"bool","id":1}}},"NodeAnswer":{"fields":{"node":{"type":"string","id":1},"ok":{"type":"bool","id":2},"message":{"type":"string","id":3}}},"ClusterFile":{"fields":{"json":{"type":"string","id":1}}},"LinkAddresses":{"oneofs":{"_towards":{"oneof":["towards"]}},"fields":{"addresses":{"rule":"repeated","type":"string","id":1},"towards":{"type":"string","id":2,"options":{"proto3_optional":true}}}},"LinkObstacles":{"fields":{"sentences":{"rule":"repeated","type":"string","id":1}}},"ClusterFileAnswer":{"oneofs":{"_lease":{"oneof":["lease"]}},"fields":{"json":{"type":"string","id":1},"quorate":{"type":"bool","id":2},"lease":{"type":"string","id":3,"options":{"proto3_optional":true}}}},"Pulse":{"fields":{"node":{"type":"string","id":1},"incarnation":{"type":"double","id":2},"sequence":{"type":"double","id":3},"silent":{"rule":"repeated","type":"string","id":4},"silentLinks":{"rule":"repeated","type":"SilentLink","id":5,"protoName":"silent_links"},"padding":{"type":"string","id":6}}},"SilentLink":{"fields":{"node":{"type":"string","id":1},"link":{"type":"uint32","id":2}}},"Local":{"methods":{"GetCib":{"requestType":"Empty","responseType":"CibAnswer"},"PushConfiguration":{"requestType":"PushRequest","responseType":"PushAnswer"},"ListConfigVersions":{"requestType":"Empty","responseType":"ConfigVersions"},"GetConfigVersion":{"requestType":"ConfigVersionRequest","responseType":"ConfigVersionAnswer"},"ConfirmChange":{"requestType":"ConfirmChangeRequest","responseType":"Empty"},"GetApplied":{"requestType":"AppliedRequest","responseType":"AppliedAnswer"},"GetState":{"requestType":"StateRequest","responseType":"ClusterState"},"WatchState":{"requestType":"Empty","responseType":"ClusterState","responseStream":true},"GetMetrics":{"requestType":"Empty","responseType":"MetricsAnswer"},"ReadJournal":{"requestType":"Empty","responseType":"JournalAnswer"},"ReadOperations":{"requestType":"OperationsRequest","responseType":"OperationsAnswer"},"SetTransientAttribute":{"requestType":"AttributeRequest","responseType":"Empty"},"DeleteHistory":{"requestType":"DeleteHistoryRequest","responseType":"DeleteHistoryAnswer"},"SetTicket":{"requestType":"TicketRequest","responseType":"Empty"},"Fence":{"requestType":"FenceRequest","responseType":"FenceAnswer"},"ConfirmFencing":{"requestType":"ConfirmRequest","responseType":"Empty"},"CleanFencingHistory":{"requestType":"FencingHistoryRequest","responseType":"FencingHistoryAnswer"},"StartCluster":{"requestType":"NodesRequest","responseType":"NodeAnswers"},"StopCluster":{"requestType":"NodesRequest","responseType":"NodeAnswers"},"EnableCluster":{"requestType":"EnableRequest","responseType":"NodeAnswers"},"SetupCluster":{"requestType":"SetupRequest","responseType":"JoinTokenAnswer"},"CreateJoinToken":{"requestType":"JoinTokenRequest","responseType":"JoinTokenAnswer"},"ListJoinTokens":{"requestType":"Empty","responseType":"JoinTokens"},"WithdrawJoinTokens":{"requestType":"JoinTokenIds","responseType":"JoinTokenCount"},"JoinCluster":{"requestType":"JoinRequest","responseType":"JoinAnswer"},"AddNode":{"requestType":"ClusterNode","responseType":"JoinTokenAnswer"},"RemoveNode":{"requestType":"RemoveNodeRequest","responseType":"Empty"},"AddLink":{"requestType":"LinkRequest","responseType":"LinkAnswer"},"UpdateLink":{"requestType":"LinkRequest","responseType":"LinkAnswer"},"RemoveLinks":{"requestType":"LinkNumbers","responseType":"LinkAnswer"},"ClearNode":{"requestType":"NodeRequest","responseType":"Empty"},"DestroyCluster":{"requestType":"DestroyRequest","responseType":"Empty"},"UnblockQuorum":{"requestType":"UnblockRequest","responseType":"UnblockAnswer"},"SetToken":{"requestType":"TokenRequest","responseType":"TokenAnswer"},"AddWitness":{"requestType":"ClusterNode","responseType":"JoinTokenAnswer"},"RemoveWitness":{"requestType":"ClusterNode","responseType":"Empty"},"ReplaceWitness":{"requestType":"ClusterNode","responseType":"JoinTokenAnswer"},"JoinAsWitness":{"requestType":"JoinRequest","responseType":"JoinAnswer"},"GetWitnessHost":{"requestType":"Empty","responseType":"WitnessHost"},"ChangeWitnessHost":{"requestType":"WitnessHostChange","responseType":"Empty"},"GetCertificates":{"requestType":"Empty","responseType":"Certificates"},"GetPkiStatus":{"requestType":"Empty","responseType":"PkiStatus"},"RotateAuthority":{"requestType":"RotateRequest","responseType":"PkiStatus"},"RenewCertificate":{"requestType":"Empty","responseType":"Certificates"},"AcquireLock":{"requestType":"AcquireLockRequest","responseType":"LockAnswer"},"ReleaseLock":{"requestType":"ReleaseLockRequest","responseType":"LockAnswer"},"ListLocks":{"requestType":"Empty","responseType":"Locks"},"StartRollout":{"requestType":"StartRolloutRequest","responseType":"RolloutAnswer"},"ChangeRollout":{"requestType":"RolloutWordRequest","responseType":"RolloutAnswer"},"ListRollouts":{"requestType":"RolloutsRequest","responseType":"Rollouts"},"PlanFleetRollout":{"requestType":"StartRolloutRequest","responseType":"FleetPlans"},"GetLifecycle":{"requestType":"Empty","responseType":"Lifecycle"},"TriggerVersion":{"requestType":"TriggerVersionRequest","responseType":"VersionAnswer"},"ReportVersion":{"requestType":"ReportVersionRequest","responseType":"VersionAnswer"},"ChangeSetting":{"requestType":"SettingRequest","responseType":"Empty"},"AcquireHolds":{"requestType":"AcquireHoldsRequest","responseType":"HoldsAnswer"},"RenewHolds":{"requestType":"RenewHoldsRequest","responseType":"HoldsAnswer"},"ReleaseHolds":{"requestType":"ReleaseHoldsRequest","responseType":"HoldsAnswer"},"ListHolds":{"requestType":"Empty","responseType":"HoldsAnswer"},"RunJob":{"requestType":"RunJobRequest","responseType":"Job"},"ListJobs":{"requestType":"Empty","responseType":"Jobs"},"GetJob":{"requestType":"GetJobRequest","responseType":"Job"},"CancelJob":{"requestType":"CancelJobRequest","responseType":"Job"},"ReadJobOutput":{"requestType":"JobOutputRequest","responseType":"JobOutput"},"CopyFile":{"requestType":"CopyFileRequest","responseType":"CopyFileAnswer"},"StartPlay":{"requestType":"StartPlayRequest","responseType":"PlayAnswer"},"ChangePlay":{"requestType":"PlayWordRequest","responseType":"PlayAnswer"},"ListPlays":{"requestType":"PlaysRequest","responseType":"Plays"},"GetConsole":{"requestType":"Empty","responseType":"ConsoleStatus"},"ChangeConsole":{"requestType":"ConsoleRequest","responseType":"ConsoleStatus"},"ChangeConsoleCertificate":{"requestType":"ConsoleCertificateRequest","responseType":"ConsoleStatus"},"AddApiClient":{"requestType":"ApiClient","responseType":"ApiClientEntry"},"ListApiClients":{"requestType":"Empty","responseType":"ApiClients"},"RemoveApiClient":{"requestType":"ApiClientName","responseType":"Empty"},"OpenCertificate":{"requestType":"ShownChain","responseType":"CertificateSession"},"AddFleetCluster":{"requestType":"FleetClusterRequest","responseType":"FleetCluster"},"RemoveFleetCluster":{"requestType":"FleetClusterName","responseType":"Empty"},"GetFleet":{"requestType":"Empty","responseType":"FleetState"},"CreateApiToken":{"requestType":"ApiTokenRequest","responseType":"ApiTokenAnswer"},"ListApiTokens":{"requestType":"Empty","responseType":"ApiTokens"},"RevokeApiToken":{"requestType":"ApiTokenName","responseType":"Empty"},"WhoAmI":{"requestType":"Empty","responseType":"CallerName"},"GetPermission":{"requestType":"PermissionRequest","responseType":"Empty"},"OpenSession":{"requestType":"LoginRequest","responseType":"LoginAnswer"},"CloseSession":{"requestType":"Empty","responseType":"Empty"},"GetHealth":{"requestType":"HealthRequest","responseType":"Health"},"TestAlert":{"requestType":"AlertTestRequest","responseType":"AlertTestAnswer"}}},"WitnessHost":{"oneofs":{"_problem":{"oneof":["problem"]}},"fields":{"clusterName":{"type":"string","id":1,"protoName":"cluster_name"},"name":{"type":"string","id":2},"address":{"type":"string","id":3},"started":{"type":"bool","id":4},"enabled":{"type":"bool","id":5},"votes":{"type":"bool","id":6},"counts":{"type":"bool","id":7},"problem":{"type":"string","id":8,"options":{"proto3_optional":true}},"nodes":{"rule":"repeated","type":"ClusterNode","id":9}}},"WitnessHostChange":{"fields":{"kind":{"type":"Kind","id":1}},"nested":{"Kind":{"values":{"start":0,"stop":1,"enable":2,"disable":3,"destroy":4}}}},"Certificates":{"fields":{"node":{"type":"string","id":1},"validUntil":{"type":"string","id":2,"protoName":"valid_until"},"renewsAt":{"type":"string","id":3,"protoName":"renews_at"},"authorityValidUntil":{"type":"string","id":4,"protoName":"authority_valid_until"}}},"CibAnswer":{"fields":{"xml":{"type":"string","id":1},"version":{"type":"double","id":2}}},"PushRequest":{"oneofs":{"_applied":{"oneof":["applied"]},"_confirmWithinMs":{"oneof":["confirmWithinMs"]},"_changeId":{"oneof":["changeId"]}},"fields":{"xml":{"type":"string","id":1},"expectedVersion":{"type":"double","id":2,"protoName":"expected_version"},"user":{"type":"string","id":3},"command":{"type":"string","id":4},"applied":{"type":"AppliedDescription","id":5,"options":{"proto3_optional":true}},"confirmWithinMs":{"type":"double","id":6,"protoName":"confirm_within_ms","options":{"proto3_optional":true}},"changeId":{"type":"string","id":7,"protoName":"change_id","options":{"proto3_optional":true}}}},"AppliedDescription":{"fields":{"name":{"type":"string","id":1},"xml":{"type":"string","id":2}}},"AppliedRequest":{"fields":{"name":{"type":"string","id":1}}},"AppliedAnswer":{"fields":{"found":{"type":"bool","id":1},"xml":{"type":"string","id":2},"version":{"type":"double","id":3},"time":{"type":"string","id":4},"user":{"type":"string","id":5}}},"PushAnswer":{"fields":{"kind":{"type":"Kind","id":1},"version":{"type":"double","id":2}},"nested":{"Kind":{"values":{"saved":0,"conflict":1}}}},"ConfigVersion":{"oneofs":{"_confirmUntil":{"oneof":["confirmUntil"]},"_undoFailed":{"oneof":["undoFailed"]}},"fields":{"version":{"type":"double","id":1},"time":{"type":"string","id":2},"node":{"type":"string","id":3},"user":{"type":"string","id":4},"command":{"type":"string","id":5},"confirmUntil":{"type":"string","id":6,"protoName":"confirm_until","options":{"proto3_optional":true}},"undoFailed":{"type":"string","id":7,"protoName":"undo_failed","options":{"proto3_optional":true}}}},"ConfigVersions":{"fields":{"versions":{"rule":"repeated","type":"ConfigVersion","id":1}}},"ConfirmChangeRequest":{"fields":{"version":{"type":"double","id":1},"also":{"rule":"repeated","type":"double","id":2}}},"ConfigVersionRequest":{"fields":{"version":{"type":"double","id":1}}},"ConfigVersionAnswer":{"fields":{"found":{"type":"bool","id":1},"entry":{"type":"ConfigVersion","id":2},"xml":{"type":"string","id":3}}},"ConsoleRequest":{"oneofs":{"_port":{"oneof":["port"]}},"fields":{"enabled":{"type":"bool","id":1},"port":{"type":"double","id":2,"options":{"proto3_optional":true}}}},"ConsoleStatus":{"oneofs":{"_trouble":{"oneof":["trouble"]},"_fingerprint":{"oneof":["fingerprint"]},"_authorityFingerprint":{"oneof":["authorityFingerprint"]},"_certificate":{"oneof":["certificate"]}},"fields":{"enabled":{"type":"bool","id":1},"running":{"type":"bool","id":2},"port":{"type":"double","id":3},"addresses":{"rule":"repeated","type":"string","id":4},"trouble":{"type":"string","id":5,"options":{"proto3_optional":true}},"fingerprint":{"type":"string","id":6,"options":{"proto3_optional":true}},"authorityFingerprint":{"type":"string","id":7,"protoName":"authority_fingerprint","options":{"proto3_optional":true}},"certificate":{"type":"ConsoleCertificate","id":8,"options":{"proto3_optional":true}},"warnings":{"rule":"repeated","type":"string","id":9}}},"ConsoleCertificate":{"fields":{"subject":{"type":"string","id":1},"issuer":{"type":"string","id":2},"names":{"rule":"repeated","type":"string","id":3},"validUntil":{"type":"string","id":4,"protoName":"valid_until"},"files":{"rule":"repeated","type":"string","id":5}}},"ConsoleCertificateRequest":{"oneofs":{"_certificate":{"oneof":["certificate"]},"_key":{"oneof":["key"]},"_certificateFile":{"oneof":["certificateFile"]},"_keyFile":{"oneof":["keyFile"]}},"fields":{"certificate":{"type":"string","id":1,"options":{"proto3_optional":true}},"key":{"type":"string","id":2,"options":{"proto3_optional":true}},"certificateFile":{"type":"string","id":3,"protoName":"certificate_file","options":{"proto3_optional":true}},"keyFile":{"type":"string","id":4,"protoName":"key_file","options":{"proto3_optional":true}}}},"ApiClient":{"fields":{"name":{"type":"string","id":1},"isAuthority":{"type":"bool","id":2,"protoName":"is_authority"},"certificate":{"type":"string","id":3},"commonNames":{"rule":"repeated","type":"string","id":4,"protoName":"common_names"},"kind":{"type":"string","id":5},"user":{"type":"string","id":6},"roles":{"rule":"repeated","type":"string","id":7}}},"ApiClientEntry":{"fields":{"client":{"type":"ApiClient","id":1},"subject":{"type":"string","id":2},"fingerprint":{"type":"string","id":3},"validUntil":{"type":"string","id":4,"protoName":"valid_until"},"createdBy":{"type":"string","id":5,"protoName":"created_by"}}},"ApiClients":{"fields":{"clients":{"rule":"repeated","type":"ApiClientEntry","id":1}}},"ApiClientName":{"fields":{"name":{"type":"string","id":1}}},"ShownChain":{"fields":{"certificates":{"rule":"repeated","type":"string","id":1},"isTrusted":{"type":"bool","id":2,"protoName":"is_trusted"}}},"CertificateSession":{"fields":{"session":{"type":"string","id":1}}},"FleetClusterRequest":{"oneofs":{"_fingerprint":{"oneof":["fingerprint"]},"_authority":{"oneof":["authority"]}},"fields":{"name":{"type":"string","id":1},"addresses":{"rule":"repeated","type":"string","id":2},"token":{"type":"string","id":3},"fingerprint":{"type":"string","id":4,"options":{"proto3_optional":true}},"authority":{"type":"string","id":5,"options":{"proto3_optional":true}},"replaces":{"type":"bool","id":6}}},"FleetClusterName":{"fields":{"name":{"type":"string","id":1}}},"FleetSentence":{"fields":{"level":{"type":"string","id":1},"text":{"type":"string","id":2}}},"FleetKnown":{"fields":{"cluster":{"type":"string","id":1},"quorate":{"type":"bool","id":2},"nodes":{"type":"double","id":3},"nodesOnline":{"type":"double","id":4,"protoName":"nodes_online"},"urgent":{"type":"double","id":5}}},"FleetCluster":{"oneofs":{"_since":{"oneof":["since"]},"_lastReached":{"oneof":["lastReached"]},"_why":{"oneof":["why"]},"_known":{"oneof":["known"]}},"fields":{"name":{"type":"string","id":1},"addresses":{"rule":"repeated","type":"string","id":2},"trust":{"type":"string","id":3},"fingerprint":{"type":"string","id":4},"added":{"type":"string","id":5},"addedBy":{"type":"string","id":6,"protoName":"added_by"},"state":{"type":"string","id":7},"since":{"type":"string","id":8,"options":{"proto3_optional":true}},"lastReached":{"type":"string","id":9,"protoName":"last_reached","options":{"proto3_optional":true}},"why":{"type":"string","id":10,"options":{"proto3_optional":true}},"known":{"type":"FleetKnown","id":11,"options":{"proto3_optional":true}},"worst":{"rule":"repeated","type":"FleetSentence","id":12}}},"FleetState":{"fields":{"clusters":{"rule":"repeated","type":"FleetCluster","id":1},"isCurrent":{"type":"bool","id":2,"protoName":"is_current"}}},"ApiTokenRequest":{"fields":{"name":{"type":"string","id":1},"roles":{"rule":"repeated","type":"string","id":2},"validSeconds":{"type":"double","id":3,"protoName":"valid_seconds"}}},"ApiTokenAnswer":{"fields":{"token":{"type":"string","id":1},"validUntil":{"type":"string","id":2,"protoName":"valid_until"}}},"ApiTokenName":{"fields":{"name":{"type":"string","id":1}}},"ApiToken":{"fields":{"name":{"type":"string","id":1},"roles":{"rule":"repeated","type":"string","id":2},"created":{"type":"string","id":3},"validUntil":{"type":"string","id":4,"protoName":"valid_until"},"createdBy":{"type":"string","id":5,"protoName":"created_by"},"isValid":{"type":"bool","id":6,"protoName":"is_valid"}}},"ApiTokens":{"fields":{"tokens":{"rule":"repeated","type":"ApiToken","id":1}}},"PermissionRequest":{"fields":{"call":{"type":"string","id":1},"request":{"type":"string","id":2}}},"CallerName":{"oneofs":{"_validUntil":{"oneof":["validUntil"]}},"fields":{"user":{"type":"string","id":1},"limited":{"type":"bool","id":2},"validUntil":{"type":"string","id":3,"protoName":"valid_until","options":{"proto3_optional":true}}}},"LoginRequest":{"fields":{"user":{"type":"string","id":1},"password":{"type":"string","id":2}}},"LoginAnswer":{"fields":{"session":{"type":"string","id":1},"user":{"type":"string","id":2},"limited":{"type":"bool","id":3},"validUntil":{"type":"string","id":4,"protoName":"valid_until"}}},"AlertTestRequest":{"fields":{"alert":{"type":"string","id":1},"recipients":{"rule":"repeated","type":"string","id":2}}},"AlertTestAnswer":{"fields":{"node":{"type":"string","id":1},"results":{"rule":"repeated","type":"Result","id":2}},"nested":{"Result":{"oneofs":{"_recipient":{"oneof":["recipient"]},"_value":{"oneof":["value"]},"_why":{"oneof":["why"]}},"fields":{"recipient":{"type":"string","id":1,"options":{"proto3_optional":true}},"value":{"type":"string","id":2,"options":{"proto3_optional":true}},"outcome":{"type":"string","id":3},"why":{"type":"string","id":4,"options":{"proto3_optional":true}}}}}},"HealthRequest":{"oneofs":{"_resource":{"oneof":["resource"]}},"fields":{"resource":{"type":"string","id":1,"options":{"proto3_optional":true}}}},"Health":{"fields":{"started":{"type":"bool","id":1},"quorate":{"type":"bool","id":2},"member":{"type":"bool","id":3},"active":{"type":"string","id":4}}},"MetricsAnswer":{"fields":{"json":{"type":"string","id":1}}},"StateRequest":{"oneofs":{"_askStore":{"oneof":["askStore"]}},"fields":{"askStore":{"type":"bool","id":1,"protoName":"ask_store","options":{"proto3_optional":true}}}},"ClusterState":{"oneofs":{"_dc":{"oneof":["dc"]},"_term":{"oneof":["term"]},"_twoNode":{"oneof":["twoNode"]},"_witness":{"oneof":["witness"]},"_tokenMs":{"oneof":["tokenMs"]}},"fields":{"configured":{"type":"bool","id":1},"started":{"type":"bool","id":2},"clusterName":{"type":"string","id":3,"protoName":"cluster_name"},"localNode":{"type":"string","id":4,"protoName":"local_node"},"quorate":{"type":"bool","id":5},"votes":{"type":"Votes","id":6},"dc":{"type":"string","id":7,"options":{"proto3_optional":true}},"term":{"type":"double","id":8,"options":{"proto3_optional":true}},"members":{"rule":"repeated","type":"Member","id":9},"transition":{"type":"Transition","id":10},"fencing":{"rule":"repeated","type":"FencingRecord","id":11},"store":{"type":"StoreState","id":12},"configVersion":{"type":"double","id":13,"protoName":"config_version"},"revision":{"type":"double","id":14},"notes":{"rule":"repeated","type":"string","id":15},"twoNode":{"type":"TwoNode","id":16,"protoName":"two_node","options":{"proto3_optional":true}},"enabled":{"type":"bool","id":17},"witness":{"type":"Witness","id":18,"options":{"proto3_optional":true}},"tokenMs":{"type":"double","id":19,"protoName":"token_ms","options":{"proto3_optional":true}}},"nested":{"Votes":{"fields":{"present":{"type":"double","id":1},"expected":{"type":"double","id":2},"needed":{"type":"double","id":3}}},"Transition":{"oneofs":{"_computedHolds":{"oneof":["computedHolds"]}},"fields":{"state":{"type":"State","id":1},"number":{"type":"double","id":2},"computedVersion":{"type":"double","id":3,"protoName":"computed_version"},"pending":{"rule":"repeated","type":"string","id":4},"blockedBy":{"rule":"repeated","type":"string","id":5,"protoName":"blocked_by"},"blockedResources":{"rule":"repeated","type":"string","id":6,"protoName":"blocked_resources"},"computedHolds":{"type":"double","id":7,"protoName":"computed_holds","options":{"proto3_optional":true}}},"nested":{"State":{"values":{"idle":0,"computing":1,"running":2,"blocked":3}}}},"TwoNode":{"oneofs":{"_message":{"oneof":["message"]}},"fields":{"fencingEnabled":{"type":"bool","id":1,"protoName":"fencing_enabled"},"alone":{"type":"bool","id":2},"message":{"type":"string","id":3,"options":{"proto3_optional":true}}}},"Witness":{"oneofs":{"_joiningVote":{"oneof":["joiningVote"]},"_problem":{"oneof":["problem"]}},"fields":{"name":{"type":"string","id":1},"address":{"type":"string","id":2},"state":{"type":"State","id":3},"votes":{"type":"bool","id":4},"joiningVote":{"type":"bool","id":5,"protoName":"joining_vote","options":{"proto3_optional":true}},"problem":{"type":"string","id":6,"options":{"proto3_optional":true}}},"nested":{"State":{"values":{"silent":0,"stopped":1,"up":2}}}},"StoreState":{"oneofs":{"_message":{"oneof":["message"]}},"fields":{"kind":{"type":"string","id":1},"healthy":{"type":"bool","id":2},"message":{"type":"string","id":3,"options":{"proto3_optional":true}}}}}},"Member":{"oneofs":{"_daemonVersion":{"oneof":["daemonVersion"]},"_watchdogMs":{"oneof":["watchdogMs"]},"_joiningVote":{"oneof":["joiningVote"]}},"fields":{"node":{"type":"string","id":1},"address":{"type":"string","id":2},"state":{"type":"State","id":3},"votes":{"type":"bool","id":4},"daemonVersion":{"type":"string","id":5,"protoName":"daemon_version","options":{"proto3_optional":true}},"watchdogMs":{"type":"double","id":6,"protoName":"watchdog_ms","options":{"proto3_optional":true}},"joiningVote":{"type":"bool","id":7,"protoName":"joining_vote","options":{"proto3_optional":true}},"links":{"rule":"repeated","type":"MemberLink","id":8},"sbdDisks":{"rule":"repeated","type":"string","id":9,"protoName":"sbd_disks"}},"nested":{"State":{"values":{"offline":0,"joining":1,"member":2,"leaving":3,"lost":4}}}},"MemberLink":{"fields":{"number":{"type":"double","id":1},"address":{"type":"string","id":2},"priority":{"type":"double","id":3},"state":{"type":"State","id":4}},"nested":{"State":{"values":{"unknown":0,"up":1,"down":2}}}},"JournalAnswer":{"fields":{"lines":{"type":"string","id":1},"missing":{"rule":"repeated","type":"string","id":2}}},"OperationsRequest":{"fields":{"resources":{"rule":"repeated","type":"string","id":1},"most":{"type":"double","id":2}}},"OperationsAnswer":{"fields":{"lines":{"rule":"repeated","type":"string","id":1},"missing":{"rule":"repeated","type":"string","id":2}}},"FencingRecord":{"oneofs":{"_device":{"oneof":["device"]},"_executedBy":{"oneof":["executedBy"]},"_client":{"oneof":["client"]},"_ended":{"oneof":["ended"]},"_message":{"oneof":["message"]}},"fields":{"id":{"type":"string","id":1},"target":{"type":"string","id":2},"action":{"type":"string","id":3},"device":{"type":"string","id":4,"options":{"proto3_optional":true}},"executedBy":{"type":"string","id":5,"protoName":"executed_by","options":{"proto3_optional":true}},"client":{"type":"string","id":6,"options":{"proto3_optional":true}},"begun":{"type":"string","id":7},"ended":{"type":"string","id":8,"options":{"proto3_optional":true}},"outcome":{"type":"Outcome","id":9},"message":{"type":"string","id":10,"options":{"proto3_optional":true}}},"nested":{"Outcome":{"values":{"pending":0,"succeeded":1,"failed":2}}}},"AttributeRequest":{"oneofs":{"_value":{"oneof":["value"]},"_set":{"oneof":["set"]}},"fields":{"node":{"type":"string","id":1},"name":{"type":"string","id":2},"value":{"type":"string","id":3,"options":{"proto3_optional":true}},"set":{"type":"string","id":4,"options":{"proto3_optional":true}}}},"DeleteHistoryRequest":{"oneofs":{"_resource":{"oneof":["resource"]},"_node":{"oneof":["node"]},"_operation":{"oneof":["operation"]},"_intervalMs":{"oneof":["intervalMs"]}},"fields":{"resource":{"type":"string","id":1,"options":{"proto3_optional":true}},"node":{"type":"string","id":2,"options":{"proto3_optional":true}},"operation":{"type":"string","id":3,"options":{"proto3_optional":true}},"intervalMs":{"type":"double","id":4,"protoName":"interval_ms","options":{"proto3_optional":true}},"onlyFailed":{"type":"bool","id":5,"protoName":"only_failed"}}},"DeleteHistoryAnswer":{"fields":{"deleted":{"rule":"repeated","type":"Deleted","id":1}},"nested":{"Deleted":{"fields":{"resource":{"type":"string","id":1},"node":{"type":"string","id":2}}}}},"TicketRequest":{"oneofs":{"_granted":{"oneof":["granted"]},"_standby":{"oneof":["standby"]}},"fields":{"id":{"type":"string","id":1},"granted":{"type":"bool","id":2,"options":{"proto3_optional":true}},"standby":{"type":"bool","id":3,"options":{"proto3_optional":true}},"attributes":{"keyType":"string","type":"string","id":4},"forget":{"type":"bool","id":5}}},"FenceRequest":{"oneofs":{"_timeoutMs":{"oneof":["timeoutMs"]},"_delayMs":{"oneof":["delayMs"]},"_tag":{"oneof":["tag"]}},"fields":{"target":{"type":"string","id":1},"action":{"type":"string","id":2},"timeoutMs":{"type":"double","id":3,"protoName":"timeout_ms","options":{"proto3_optional":true}},"delayMs":{"type":"double","id":4,"protoName":"delay_ms","options":{"proto3_optional":true}},"tag":{"type":"string","id":5,"options":{"proto3_optional":true}}}},"FenceAnswer":{"fields":{"succeeded":{"type":"bool","id":1},"message":{"type":"string","id":2}}},"ConfirmRequest":{"fields":{"target":{"type":"string","id":1}}},"FencingHistoryRequest":{"oneofs":{"_target":{"oneof":["target"]}},"fields":{"target":{"type":"string","id":1,"options":{"proto3_optional":true}}}},"FencingHistoryAnswer":{"fields":{"deleted":{"type":"double","id":1}}},"EnableRequest":{"fields":{"nodes":{"rule":"repeated","type":"string","id":1},"enabled":{"type":"bool","id":2}}},"NodesRequest":{"fields":{"nodes":{"rule":"repeated","type":"string","id":1}}},"NodeAnswers":{"fields":{"answers":{"rule":"repeated","type":"NodeAnswer","id":1}}},"ClusterNode":{"oneofs":{"_more":{"oneof":["more"]}},"fields":{"name":{"type":"string","id":1},"address":{"type":"string","id":2},"more":{"type":"LinkAddresses","id":3,"options":{"proto3_optional":true}}}},"LinkRequest":{"oneofs":{"_number":{"oneof":["number"]},"_priority":{"oneof":["priority"]}},"fields":{"number":{"type":"double","id":1,"options":{"proto3_optional":true}},"nodes":{"rule":"repeated","type":"ClusterNode","id":2},"priority":{"type":"double","id":3,"options":{"proto3_optional":true}}}},"LinkNumbers":{"fields":{"numbers":{"rule":"repeated","type":"double","id":1}}},"LinkAnswer":{"fields":{"number":{"type":"double","id":1},"pending":{"rule":"repeated","type":"string","id":2}}},"SetupRequest":{"oneofs":{"_options":{"oneof":["options"]}},"fields":{"clusterName":{"type":"string","id":1,"protoName":"cluster_name"},"nodes":{"rule":"repeated","type":"ClusterNode","id":2},"options":{"type":"string","id":3,"options":{"proto3_optional":true}},"force":{"type":"bool","id":4}}},"NodePki":{"fields":{"node":{"type":"string","id":1},"trusts":{"rule":"repeated","type":"string","id":2},"storeTrusts":{"type":"bool","id":3,"protoName":"store_trusts"},"certifiedBy":{"type":"string","id":4,"protoName":"certified_by"},"validUntil":{"type":"string","id":5,"protoName":"valid_until"},"renewsAt":{"type":"string","id":6,"protoName":"renews_at"},"authorityValidUntil":{"type":"string","id":7,"protoName":"authority_valid_until"},"shares":{"rule":"repeated","type":"string","id":8},"wholeKey":{"type":"bool","id":9,"protoName":"whole_key"},"hosts":{"rule":"repeated","type":"HostPki","id":10},"bringsHosts":{"type":"bool","id":11,"protoName":"brings_hosts"}}},"HostPki":{"oneofs":{"_publicKey":{"oneof":["publicKey"]},"_problem":{"oneof":["problem"]}},"fields":{"name":{"type":"string","id":1},"trusts":{"rule":"repeated","type":"string","id":2},"certifiedBy":{"type":"string","id":3,"protoName":"certified_by"},"storeTrusts":{"type":"bool","id":4,"protoName":"store_trusts"},"publicKey":{"type":"string","id":5,"protoName":"public_key","options":{"proto3_optional":true}},"problem":{"type":"string","id":6,"options":{"proto3_optional":true}}}},"RotateRequest":{"fields":{"without":{"rule":"repeated","type":"string","id":1}}},"PkiOrder":{"fields":{"trust":{"rule":"repeated","type":"string","id":1},"renew":{"type":"bool","id":2}}},"PkiStatus":{"oneofs":{"_generation":{"oneof":["generation"]},"_threshold":{"oneof":["threshold"]},"_rotation":{"oneof":["rotation"]}},"fields":{"nodes":{"rule":"repeated","type":"NodePki","id":1},"silent":{"rule":"repeated","type":"string","id":2},"authority":{"type":"string","id":3},"generation":{"type":"string","id":4,"options":{"proto3_optional":true}},"threshold":{"type":"double","id":5,"options":{"proto3_optional":true}},"holders":{"rule":"repeated","type":"string","id":6},"rotation":{"type":"string","id":7,"options":{"proto3_optional":true}},"waitsFor":{"rule":"repeated","type":"string","id":8,"protoName":"waits_for"},"leftBehind":{"rule":"repeated","type":"string","id":9,"protoName":"left_behind"}}},"AuthorityQuestion":{"fields":{"authority":{"type":"string","id":1}}},"AuthorityShares":{"oneofs":{"_wholeKey":{"oneof":["wholeKey"]}},"fields":{"shares":{"rule":"repeated","type":"AuthorityShare","id":1},"wholeKey":{"type":"string","id":2,"protoName":"whole_key","options":{"proto3_optional":true}}}},"AuthorityShare":{"fields":{"generation":{"type":"string","id":1},"threshold":{"type":"double","id":2},"authority":{"type":"string","id":3},"share":{"type":"string","id":4}}},"JoinTokenRequest":{"oneofs":{"_validSeconds":{"oneof":["validSeconds"]},"_role":{"oneof":["role"]},"_node":{"oneof":["node"]}},"fields":{"validSeconds":{"type":"double","id":1,"protoName":"valid_seconds","options":{"proto3_optional":true}},"role":{"type":"string","id":2,"options":{"proto3_optional":true}},"node":{"type":"string","id":3,"options":{"proto3_optional":true}}}},"JoinTokenAnswer":{"fields":{"token":{"type":"string","id":1},"validUntil":{"type":"string","id":2,"protoName":"valid_until"},"nodes":{"rule":"repeated","type":"NodeToken","id":3}}},"NodeToken":{"fields":{"node":{"type":"string","id":1},"token":{"type":"string","id":2}}},"RunJobRequest":{"oneofs":{"_stdin":{"oneof":["stdin"]},"_role":{"oneof":["role"]},"_maxFail":{"oneof":["maxFail"]},"_maxOutput":{"oneof":["maxOutput"]},"_lock":{"oneof":["lock"]}},"fields":{"argv":{"rule":"repeated","type":"string","id":1},"env":{"keyType":"string","type":"string","id":2},"stdin":{"type":"string","id":3,"options":{"proto3_optional":true}},"nodes":{"rule":"repeated","type":"string","id":4},"role":{"type":"string","id":5,"options":{"proto3_optional":true}},"order":{"type":"string","id":6},"limit":{"type":"double","id":7},"timeoutMs":{"type":"double","id":8,"protoName":"timeout_ms"},"maxFail":{"type":"double","id":9,"protoName":"max_fail","options":{"proto3_optional":true}},"maxOutput":{"type":"double","id":10,"protoName":"max_output","options":{"proto3_optional":true}},"queue":{"type":"bool","id":11},"lock":{"type":"string","id":12,"options":{"proto3_optional":true}},"user":{"type":"string","id":13},"notes":{"type":"bool","id":14}}},"FilePart":{"oneofs":{"_remote":{"oneof":["remote"]}},"fields":{"id":{"type":"string","id":1},"path":{"type":"string","id":2},"phase":{"type":"string","id":3},"offset":{"type":"double","id":4},"data":{"type":"string","id":5},"sha256":{"type":"string","id":6},"size":{"type":"double","id":7},"mode":{"type":"double","id":8},"remote":{"type":"string","id":9,"options":{"proto3_optional":true}}}},"FileAnswer":{"fields":{"outcome":{"type":"string","id":1}}},"CopyFileRequest":{"oneofs":{"_role":{"oneof":["role"]}},"fields":{"part":{"type":"FilePart","id":1},"nodes":{"rule":"repeated","type":"string","id":2},"role":{"type":"string","id":3,"options":{"proto3_optional":true}},"user":{"type":"string","id":4},"failed":{"keyType":"string","type":"string","id":5},"unchanged":{"rule":"repeated","type":"string","id":6}}},"CopyFileAnswer":{"oneofs":{"_job":{"oneof":["job"]}},"fields":{"nodes":{"rule":"repeated","type":"Node","id":1},"job":{"type":"Job","id":2,"options":{"proto3_optional":true}}},"nested":{"Node":{"oneofs":{"_reason":{"oneof":["reason"]}},"fields":{"node":{"type":"string","id":1},"outcome":{"type":"string","id":2},"reason":{"type":"string","id":3,"options":{"proto3_optional":true}}}}}},"GetJobRequest":{"oneofs":{"_newerThan":{"oneof":["newerThan"]}},"fields":{"id":{"type":"string","id":1},"newerThan":{"type":"double","id":2,"protoName":"newer_than","options":{"proto3_optional":true}},"waitMs":{"type":"double","id":3,"protoName":"wait_ms"}}},"CancelJobRequest":{"fields":{"id":{"type":"string","id":1},"user":{"type":"string","id":2}}},"JobOutputRequest":{"oneofs":{"_task":{"oneof":["task"]}},"fields":{"id":{"type":"string","id":1},"node":{"type":"string","id":2},"offset":{"type":"double","id":3},"waitMs":{"type":"double","id":4,"protoName":"wait_ms"},"task":{"type":"string","id":5,"options":{"proto3_optional":true}}}},"TaskOutputRequest":{"oneofs":{"_remote":{"oneof":["remote"]}},"fields":{"task":{"type":"string","id":1},"offset":{"type":"double","id":2},"waitMs":{"type":"double","id":3,"protoName":"wait_ms"},"remote":{"type":"string","id":4,"options":{"proto3_optional":true}}}},"JobOutput":{"oneofs":{"_note":{"oneof":["note"]}},"fields":{"data":{"type":"string","id":1},"ended":{"type":"bool","id":2},"note":{"type":"string","id":3,"options":{"proto3_optional":true}}}},"Job":{"oneofs":{"_ended":{"oneof":["ended"]},"_maxFail":{"oneof":["maxFail"]},"_lock":{"oneof":["lock"]}},"fields":{"id":{"type":"string","id":1},"user":{"type":"string","id":2},"node":{"type":"string","id":3},"created":{"type":"string","id":4},"ended":{"type":"string","id":5,"options":{"proto3_optional":true}},"argv":{"rule":"repeated","type":"string","id":6},"order":{"type":"string","id":7},"limit":{"type":"double","id":8},"timeoutMs":{"type":"double","id":9,"protoName":"timeout_ms"},"maxFail":{"type":"double","id":10,"protoName":"max_fail","options":{"proto3_optional":true}},"queue":{"type":"bool","id":11},"lock":{"type":"string","id":12,"options":{"proto3_optional":true}},"waitsForLock":{"type":"bool","id":13,"protoName":"waits_for_lock"},"state":{"type":"string","id":14},"nodes":{"rule":"repeated","type":"Node","id":15},"revision":{"type":"double","id":16}},"nested":{"Node":{"oneofs":{"_task":{"oneof":["task"]},"_exitCode":{"oneof":["exitCode"]},"_signal":{"oneof":["signal"]},"_reason":{"oneof":["reason"]},"_started":{"oneof":["started"]},"_ended":{"oneof":["ended"]},"_commands":{"oneof":["commands"]}},"fields":{"node":{"type":"string","id":1},"state":{"type":"string","id":2},"task":{"type":"string","id":3,"options":{"proto3_optional":true}},"exitCode":{"type":"double","id":4,"protoName":"exit_code","options":{"proto3_optional":true}},"signal":{"type":"string","id":5,"options":{"proto3_optional":true}},"timedOut":{"type":"bool","id":6,"protoName":"timed_out"},"reason":{"type":"string","id":7,"options":{"proto3_optional":true}},"started":{"type":"string","id":8,"options":{"proto3_optional":true}},"ended":{"type":"string","id":9,"options":{"proto3_optional":true}},"away":{"type":"bool","id":10},"commands":{"type":"string","id":11,"options":{"proto3_optional":true}}}}}},"Jobs":{"fields":{"jobs":{"rule":"repeated","type":"Job","id":1}}},"StartPlayRequest":{"fields":{"play":{"type":"string","id":1},"user":{"type":"string","id":2}}},"PlayWordRequest":{"fields":{"id":{"type":"string","id":1},"word":{"type":"string","id":2},"user":{"type":"string","id":3}}},"PlayAnswer":{"fields":{"id":{"type":"string","id":1},"state":{"type":"string","id":2}}},"PlaysRequest":{"oneofs":{"_id":{"oneof":["id"]},"_newerThan":{"oneof":["newerThan"]}},"fields":{"id":{"type":"string","id":1,"options":{"proto3_optional":true}},"newerThan":{"type":"double","id":2,"protoName":"newer_than","options":{"proto3_optional":true}},"waitMs":{"type":"double","id":3,"protoName":"wait_ms"}}},"Plays":{"fields":{"known":{"type":"string","id":1},"revision":{"type":"double","id":2}}},"StartRolloutRequest":{"oneofs":{"_partOf":{"oneof":["partOf"]}},"fields":{"file":{"type":"string","id":1},"user":{"type":"string","id":2},"partOf":{"type":"string","id":3,"protoName":"part_of","options":{"proto3_optional":true}}}},"FleetPlans":{"fields":{"plans":{"type":"string","id":1}}},"RolloutWordRequest":{"fields":{"id":{"type":"string","id":1},"word":{"type":"string","id":2},"user":{"type":"string","id":3}}},"RolloutAnswer":{"fields":{"id":{"type":"string","id":1},"state":{"type":"string","id":2}}},"RolloutsRequest":{"oneofs":{"_id":{"oneof":["id"]}},"fields":{"id":{"type":"string","id":1,"options":{"proto3_optional":true}},"fromLine":{"type":"double","id":2,"protoName":"from_line"}}},"Rollouts":{"fields":{"known":{"type":"string","id":1}}},"Lifecycle":{"fields":{"known":{"type":"string","id":1}}},"TriggerVersionRequest":{"fields":{"version":{"type":"string","id":1},"force":{"type":"bool","id":2},"user":{"type":"string","id":3}}},"ReportVersionRequest":{"oneofs":{"_version":{"oneof":["version"]},"_status":{"oneof":["status"]},"_exitCode":{"oneof":["exitCode"]},"_tail":{"oneof":["tail"]}},"fields":{"node":{"type":"string","id":1},"version":{"type":"string","id":2,"options":{"proto3_optional":true}},"status":{"type":"string","id":3,"options":{"proto3_optional":true}},"exitCode":{"type":"double","id":4,"protoName":"exit_code","options":{"proto3_optional":true}},"tail":{"type":"string","id":5,"options":{"proto3_optional":true}},"user":{"type":"string","id":6}}},"VersionAnswer":{"oneofs":{"_version":{"oneof":["version"]},"_state":{"oneof":["state"]},"_rollout":{"oneof":["rollout"]}},"fields":{"outcome":{"type":"string","id":1},"version":{"type":"string","id":2,"options":{"proto3_optional":true}},"state":{"type":"string","id":3,"options":{"proto3_optional":true}},"rollout":{"type":"string","id":4,"options":{"proto3_optional":true}}}},"SettingRequest":{"oneofs":{"_name":{"oneof":["name"]},"_value":{"oneof":["value"]}},"fields":{"kind":{"type":"string","id":1},"scope":{"type":"string","id":2},"name":{"type":"string","id":3,"options":{"proto3_optional":true}},"key":{"type":"string","id":4},"value":{"type":"string","id":5,"options":{"proto3_optional":true}},"user":{"type":"string","id":6}}},"AcquireLockRequest":{"oneofs":{"_owner":{"oneof":["owner"]},"_reason":{"oneof":["reason"]},"_holder":{"oneof":["holder"]}},"fields":{"name":{"type":"string","id":1},"owner":{"type":"string","id":2,"options":{"proto3_optional":true}},"ttlMs":{"type":"double","id":3,"protoName":"ttl_ms"},"reason":{"type":"string","id":4,"options":{"proto3_optional":true}},"holder":{"type":"string","id":5,"options":{"proto3_optional":true}},"renew":{"type":"bool","id":6},"user":{"type":"string","id":7}}},"ReleaseLockRequest":{"oneofs":{"_owner":{"oneof":["owner"]},"_holder":{"oneof":["holder"]}},"fields":{"name":{"type":"string","id":1},"owner":{"type":"string","id":2,"options":{"proto3_optional":true}},"holder":{"type":"string","id":3,"options":{"proto3_optional":true}},"force":{"type":"bool","id":4},"user":{"type":"string","id":5}}},"LockAnswer":{"oneofs":{"_lock":{"oneof":["lock"]}},"fields":{"outcome":{"type":"string","id":1},"lock":{"type":"Lock","id":2,"options":{"proto3_optional":true}}}},"Lock":{"oneofs":{"_reason":{"oneof":["reason"]}},"fields":{"name":{"type":"string","id":1},"owner":{"type":"string","id":2},"node":{"type":"string","id":3},"user":{"type":"string","id":4},"reason":{"type":"string","id":5,"options":{"proto3_optional":true}},"since":{"type":"string","id":6},"renewed":{"type":"string","id":7},"ttlMs":{"type":"double","id":8,"protoName":"ttl_ms"},"kept":{"type":"bool","id":9}}},"AcquireHoldsRequest":{"oneofs":{"_reason":{"oneof":["reason"]},"_ttlMs":{"oneof":["ttlMs"]},"_holder":{"oneof":["holder"]},"_command":{"oneof":["command"]}},"fields":{"holds":{"rule":"repeated","type":"Wanted","id":1},"reason":{"type":"string","id":2,"options":{"proto3_optional":true}},"ttlMs":{"type":"double","id":3,"protoName":"ttl_ms","options":{"proto3_optional":true}},"holder":{"type":"string","id":4,"options":{"proto3_optional":true}},"command":{"type":"string","id":5,"options":{"proto3_optional":true}},"user":{"type":"string","id":6}},"nested":{"Wanted":{"oneofs":{"_node":{"oneof":["node"]},"_resource":{"oneof":["resource"]},"_role":{"oneof":["role"]}},"fields":{"kind":{"type":"string","id":1},"node":{"type":"string","id":2,"options":{"proto3_optional":true}},"resource":{"type":"string","id":3,"options":{"proto3_optional":true}},"role":{"type":"string","id":4,"options":{"proto3_optional":true}}}}}},"RenewHoldsRequest":{"fields":{"ids":{"rule":"repeated","type":"string","id":1},"holder":{"type":"string","id":2}}},"ReleaseHoldsRequest":{"oneofs":{"_holder":{"oneof":["holder"]}},"fields":{"ids":{"rule":"repeated","type":"string","id":1},"holder":{"type":"string","id":2,"options":{"proto3_optional":true}},"force":{"type":"bool","id":3},"user":{"type":"string","id":4}}},"HoldsAnswer":{"fields":{"outcome":{"type":"string","id":1},"holds":{"rule":"repeated","type":"Hold","id":2},"revision":{"type":"double","id":3}}},"Hold":{"oneofs":{"_node":{"oneof":["node"]},"_resource":{"oneof":["resource"]},"_role":{"oneof":["role"]},"_reason":{"oneof":["reason"]},"_ttlMs":{"oneof":["ttlMs"]}},"fields":{"id":{"type":"string","id":1},"kind":{"type":"string","id":2},"node":{"type":"string","id":3,"options":{"proto3_optional":true}},"resource":{"type":"string","id":4,"options":{"proto3_optional":true}},"role":{"type":"string","id":5,"options":{"proto3_optional":true}},"owner":{"type":"Owner","id":6},"reason":{"type":"string","id":7,"options":{"proto3_optional":true}},"since":{"type":"string","id":8},"ttlMs":{"type":"double","id":9,"protoName":"ttl_ms","options":{"proto3_optional":true}},"kept":{"type":"bool","id":10}},"nested":{"Owner":{"fields":{"kind":{"type":"string","id":1},"name":{"type":"string","id":2},"user":{"type":"string","id":3},"node":{"type":"string","id":4}}}}},"Locks":{"fields":{"locks":{"rule":"repeated","type":"Lock","id":1}}},"JoinTokens":{"fields":{"tokens":{"rule":"repeated","type":"Token","id":1},"events":{"rule":"repeated","type":"Event","id":2},"strangers":{"rule":"repeated","type":"Event","id":3}},"nested":{"Token":{"oneofs":{"_usedBy":{"oneof":["usedBy"]},"_usedAt":{"oneof":["usedAt"]},"_usedFrom":{"oneof":["usedFrom"]},"_madeBy":{"oneof":["madeBy"]},"_madeFor":{"oneof":["madeFor"]}},"fields":{"id":{"type":"string","id":1},"role":{"type":"string","id":2},"node":{"type":"string","id":3},"issuedAt":{"type":"string","id":4,"protoName":"issued_at"},"validUntil":{"type":"string","id":5,"protoName":"valid_until"},"state":{"type":"string","id":6},"usedBy":{"type":"string","id":7,"protoName":"used_by","options":{"proto3_optional":true}},"usedAt":{"type":"string","id":8,"protoName":"used_at","options":{"proto3_optional":true}},"usedFrom":{"type":"string","id":9,"protoName":"used_from","options":{"proto3_optional":true}},"madeBy":{"type":"string","id":10,"protoName":"made_by","options":{"proto3_optional":true}},"madeFor":{"type":"string","id":11,"protoName":"made_for","options":{"proto3_optional":true}}}},"Event":{"oneofs":{"_token":{"oneof":["token"]},"_address":{"oneof":["address"]},"_why":{"oneof":["why"]}},"fields":{"time":{"type":"string","id":1},"kind":{"type":"string","id":2},"by":{"type":"string","id":3},"token":{"type":"string","id":4,"options":{"proto3_optional":true}},"role":{"type":"string","id":5},"node":{"type":"string","id":6},"address":{"type":"string","id":7,"options":{"proto3_optional":true}},"why":{"type":"string","id":8,"options":{"proto3_optional":true}}}}}},"JoinTokenIds":{"fields":{"ids":{"rule":"repeated","type":"string","id":1}}},"JoinTokenCount":{"fields":{"withdrawn":{"type":"double","id":1}}},"JoinRequest":{"oneofs":{"_nodeName":{"oneof":["nodeName"]}},"fields":{"address":{"type":"string","id":1},"token":{"type":"string","id":2},"nodeName":{"type":"string","id":3,"protoName":"node_name","options":{"proto3_optional":true}},"force":{"type":"bool","id":4}}},"JoinAnswer":{"fields":{"clusterName":{"type":"string","id":1,"protoName":"cluster_name"},"node":{"type":"string","id":2}}},"NodeRequest":{"fields":{"node":{"type":"string","id":1}}},"RemoveNodeRequest":{"fields":{"node":{"type":"string","id":1},"cancel":{"type":"bool","id":2}}},"TokenRequest":{"fields":{"tokenMs":{"type":"double","id":1,"protoName":"token_ms"}}},"TokenAnswer":{"fields":{"beforeMs":{"type":"double","id":1,"protoName":"before_ms"}}},"UnblockRequest":{"fields":{"confirmed":{"rule":"repeated","type":"string","id":1},"onlyAsk":{"type":"bool","id":2,"protoName":"only_ask"}}},"UnblockAnswer":{"fields":{"nodes":{"rule":"repeated","type":"string","id":1}}}}}}}
