/**
 * Which commands the API has, and how: each command of the command line stands in one of the lists, or has a reason in `without`. A test fails for one
 * that stands nowhere. Commands that are only understood to be refused (`refuses`) have nothing to offer here either.
 */
import type { Command, Flag } from '../cli/index.ts'

/** Answer and change nothing: GET. */
const reading = `
acl check | acl config | alert agents | alert config | cluster certificates | cluster cib | cluster config show | cluster corosync |
cluster status | cluster token list | cluster verify | config backup | config diff | config history | config show |
configure show | graph | constraint colocation config | constraint config | constraint location config | constraint order config | constraint ref |
constraint ticket config | console client list | console status | export | fleet list | fleet status | history list | history show | hold list | incident list | incident show | inventory | job list | job show | lock list | metrics | pki status | property config |
property defaults | property describe | property list | quorum config | quorum device status | quorum status | resource agents |
resource config | resource describe | resource failcount | resource group list | resource history | resource list | resource providers | resource relations |
resource coverage | resource relocate dry-run | resource relocate show | resource standards | role list | rollout history | rollout show |
rollout status | rollout verify | rollout versions | service gate list | service list | service show | service wait | simulate | status | status nodes |
status query resource | status resources | status wait | stonith config | stonith describe | stonith history | stonith level | stonith level verify |
stonith list | stonith sbd config | stonith status | tag config | ticket status | token list | wait converged | why |
cluster node plan | node facts | node health | profile list | profile match | service dns show | service http show | play list | play show |
timeline list | timeline show | timeline compare`

/** Change something, or take files: POST. */
const changing = `
acl disable | acl enable | acl group create | acl group delete | acl permission add | acl permission delete | acl role assign |
acl role create | acl role delete | acl role unassign | acl user create | acl user delete | alert create | alert delete |
alert recipient add | alert recipient delete | alert recipient update | alert test | alert update | apply |
cib element create | cib element description | cluster certificates renew | cluster cib-push | cluster cib-upgrade | cluster disable | cluster enable |
cluster link add | cluster link remove | cluster link update | cluster node add | cluster node add-guest | cluster node add-remote |
cluster node clear | cluster node delete-guest | cluster node delete-remote | cluster node remove | cluster start | cluster stop | cluster token |
cluster token withdraw | config confirm | config restore | config revert | config undo | console client remove | fleet remove | configure clone | configure colocation | configure group | configure load |
configure location | configure ms | configure op_defaults | configure order | configure primitive | configure property | configure rsc_defaults |
configure rsc_ticket | configure tag | constraint colocation add | constraint colocation delete | constraint colocation set | constraint delete |
constraint location | constraint location add | constraint order | constraint order delete | constraint order set | constraint ticket add |
constraint ticket delete | constraint ticket set | hold release | job cancel | lock acquire | lock release | node attribute | node drain |
node maintenance | node standby | node undrain | node unmaintenance | node unstandby | node utilization | pki rotate | plan | property set | recipe plan |
property unset | quorum device add | quorum device remove | quorum device update | quorum expected-votes | quorum unblock | quorum update |
resource ban | resource bundle create | resource bundle reset | resource bundle update | resource cleanup | resource clear | resource clone |
resource create | resource defaults | resource defaults set create | resource defaults set delete | resource defaults set update |
resource delete | resource disable | resource enable | resource group add | resource group remove | resource manage | resource meta |
resource move | resource move-with-constraint | resource op add | resource op defaults | resource op defaults set create |
resource op defaults set delete | resource op defaults set update | resource op remove | resource promotable | resource refresh |
resource relocate clear | resource relocate run | resource restart | resource safe-disable | resource unclone | resource unmanage |
resource update | resource utilization | role add | role remove | rollout abort | rollout confirm | rollout pause | rollout plan | rollout resume | rollout start |
service create | service delete | service gate add | service gate remove | service update | stonith confirm | stonith create | stonith fence | stonith history cleanup |
stonith history update | stonith level add | stonith level clear | stonith level remove | stonith sbd disable | stonith sbd enable | tag create |
tag delete | tag update | ticket cleanup | ticket grant | ticket revoke | ticket standby | ticket unstandby | token revoke |
utilization auto | profile create | profile require | profile delete | service dns enable | service dns disable | service http enable |
service http disable | play cancel`

const ofHost = 'It acts on the files or services of the host on which it is typed.'
const ofScripts = 'It is for scripts on a node, which have the command line.'
const ofRoot = 'It runs commands or writes files as root on nodes: type it on a node.'
const runsAgent = 'It runs an agent as root on the host on which it is typed.'

const withoutList: readonly (readonly [reason: string, paths: string])[] = [
  [
    ofHost,
    'cluster setup | cluster join | cluster destroy | cluster report | cluster sync | cluster config update | import',
  ],
  [
    ofHost,
    'qdevice setup | qdevice destroy | qdevice start | qdevice stop | qdevice enable | qdevice disable | qdevice status',
  ],
  [
    ofHost,
    'stonith sbd device setup | stonith sbd device message | stonith sbd watchdog list | stonith sbd watchdog test',
  ],
  [ofHost, 'stonith sbd status | stonith sbd local_config_in_json | host auth | host deauth | status pcsd'],
  [ofHost, 'console enable | console disable | console certificate set | console certificate unset'],
  [ofHost, 'state save | state list | state replay'],
  // Booth does not know who asks: the rights of a token would not be looked at.
  [
    "It asks booth's program on the host on which it is typed.",
    'booth status | booth ticket grant | booth ticket revoke',
  ],
  ['Whom a token lets in could stay beyond its own end. Type it on a node.', 'token create | console client add'],
  ['It asks for a token of another cluster, or reads it from a file of the host.', 'fleet add | fleet trust'],
  ['It opens an editor. Read `cluster cib` and push it with `cluster cib-push`.', 'cluster edit'],
  ['It is for shells.', 'completion'],
  [runsAgent, 'stonith test'],
  [
    runsAgent,
    'resource debug-start | resource debug-stop | resource debug-monitor | resource debug-promote | resource debug-demote',
  ],
  [ofRoot, 'job run | job copy | job output | lock run | node benchmark | play output | play run | play resume'],
  ['It reads folders of the host.', 'play plan'],
  [
    'It takes as long as its steps do, and ends with the connection. Type it on a node, or let a job run it.',
    'recipe run',
  ],
  ['It goes on until it is ended. Follow GET /api/v1/events.', 'service watch'],
  ['GET /api/v1/status has the same facts as JSON.', 'status xml'],
  ['It writes a file of the host. `incident show` has the same facts.', 'incident export'],
  [
    ofScripts,
    `orchestrate check_puppet | orchestrate check_single_version | orchestrate current_version | orchestrate debug_timeout |
    orchestrate enable_puppet | orchestrate get_failures | orchestrate host_data | orchestrate hosts_at_version | orchestrate local_health |
    orchestrate local_version | orchestrate manage_config | orchestrate pending_update | orchestrate ping | orchestrate running_versions |
    orchestrate set_config | orchestrate trigger_update | orchestrate update_own_info | orchestrate update_own_status |
    orchestrate upgrade_status | orchestrate verify_hosts`,
  ],
]

/** Take files or words, and change nothing: with ?dry-run they are as without. */
const showing = 'plan | recipe plan | rollout plan | quorum expected-votes | quorum update | stonith history update'

/** Change something, and cannot show it beforehand: why. */
export const withoutDryRun: ReadonlyMap<string, string> = new Map([
  ['cluster token', 'All that it does is to make a token, which is shown once.'],
])

const pathsIn = (text: string): readonly string[] =>
  text
    .split('|')
    .map((path) => path.trim().split(/\s+/).join(' '))
    .filter((path) => path !== '')

export const reads: ReadonlySet<string> = new Set(pathsIn(reading))
export const changes: ReadonlySet<string> = new Set(pathsIn(changing))
const shown: ReadonlySet<string> = new Set(pathsIn(showing))
export const without: ReadonlyMap<string, string> = new Map(
  withoutList.flatMap(([reason, paths]) => pathsIn(paths).map((path) => [path, reason] as const)),
)

/** Read or write files of the host, or its terminal, or run an agent on it with what was given. */
const flagsOfHost: ReadonlySet<string> = new Set([
  ...[
    'file',
    'xml-file',
    'xml-pipe',
    'save-input',
    'save-output',
    'save-graph',
    'save-dotfile',
    'save-svg',
    'save-xml',
  ],
  ...['profile', 'repeat', 'batch', 'in-place', 'out', 'haproxy', 'stdin', 'agent-validation', 'test'],
])

export const closedFlags: ReadonlySet<string> = new Set([...flagsOfHost, 'no-test', 'json', 'help', 'debug', 'plan'])

/** Also of what is run by another command: a line of a file that is applied, or of `simulate --with`. */
export function refusalOf({ path }: Pick<Command, 'path'>, flags: ReadonlyMap<string, unknown>): string | undefined {
  const name = path.join(' ')
  const reason = without.get(name)
  if (reason !== undefined) return `'${name}' is not in the API. ${reason}`
  const closed = [...flags.keys()].find((flag) => flagsOfHost.has(flag))
  return closed === undefined
    ? undefined
    : `--${closed} reads or writes files of the host, or runs an agent on it: the API does not take it.`
}

export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Below /api/v1. */
  readonly path: string
  readonly command: Command
  /** Besides those that are closed here. */
  readonly flags: readonly Flag[]
  /** It can show what it would cause. */
  readonly canPreview: boolean
  /** It never does more than that. */
  readonly onlyShows: boolean
}

export function endpointsOf(commands: readonly Command[]): readonly Endpoint[] {
  return commands.flatMap((command): readonly Endpoint[] => {
    const name = command.path.join(' ')
    const isReading = reads.has(name)
    if (command.refuses !== undefined || !(isReading || changes.has(name))) return []
    const own = command.flags ?? []
    const onlyShows = isReading || shown.has(name)
    const canPreview = !isReading && (onlyShows || own.some((flag) => flag.name === 'preview'))
    const flags = own.filter((flag) => !closedFlags.has(flag.name) && flag.name !== 'preview')
    return [
      { method: isReading ? 'GET' : 'POST', path: `/${command.path.join('/')}`, command, flags, canPreview, onlyShows },
    ]
  })
}
