/** What histories lead to: rules that came to light beside `crm_simulate` on changed cases, each in the smallest cluster that shows it. */
import { expect, test } from 'vitest'
import { dummy, meta, type SmallCib, simulateSmall } from './small-cib.ts'

const failedStart = { 'fail-count-web#start_0': 'INFINITY', 'last-failure-web#start_0': '1600000000' }
const clone = (id: string, inside: string, values: Readonly<Record<string, string>> = {}): string =>
  `<clone id="${id}">${meta(id, values)}${inside}</clone>`
const monitor = '<operations><op id="web-m" name="monitor" interval="10s"/></operations>'
/** The parameters of that monitor. */
const asNow = 'digest=4811cef7f7f94e3a35a70be7916cb2fd'
const remoteNode = (name: string): string => meta(name, { 'remote-node': `${name}-guest` })
const remote = (id: string): string => `<primitive id="${id}" class="ocf" provider="pacemaker" type="remote"/>`

interface Case {
  readonly name: string
  readonly cib: SmallCib
  readonly transition: readonly string[]
  /** Final scores that must be among those shown. */
  readonly scores?: readonly string[]
  /** Executed one after the other, with anything in between. */
  readonly inOrder?: readonly string[]
  /** Among the lines of the whole summary. */
  readonly told?: readonly string[]
  /** Not among them. */
  readonly untold?: readonly string[]
  /** Actions or edges that are not in the graph. */
  readonly absent?: readonly string[]
  /** Edges that are. */
  readonly edges?: readonly string[]
}

const cases: readonly Case[] = [
  {
    name: 'a failed start keeps a resource from its node',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start failure rc=1', 'web stop'], attributes: failedStart } },
    },
    transition: [],
  },
  {
    name: 'a failed start with other parameters than there are now does not',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start failure rc=1 digest=other', 'web stop'], attributes: failedStart } },
    },
    transition: ['Start web ( n1 )'],
  },
  {
    name: 'a failed stop counts whatever the parameters are',
    cib: {
      resources: dummy('web'),
      nodes: {
        n1: {
          ran: ['web start', 'web stop failure rc=1 digest=other'],
          attributes: { 'fail-count-web#stop_0': 'INFINITY' },
        },
      },
    },
    transition: [],
  },
  {
    name: 'a result of which nobody knows what was expected is a failure',
    cib: { resources: dummy('web'), nodes: { n1: { ran: ['web start keyless'] } } },
    transition: ['Recover web ( n1 )'],
  },
  {
    name: 'without a device to fence with, a node is no place for a fence device',
    cib: { resources: dummy('web'), nodes: { n1: { ran: ['web start status=10'] } } },
    transition: ['Stop web ( n1 ) due to node availability'],
  },
  {
    name: 'a cancelled monitor does not say that a resource is active',
    cib: { resources: dummy('web'), nodes: { n1: { ran: ['web start', 'web stop', 'web cancel'] } } },
    transition: ['Start web ( n1 )'],
  },
  {
    name: 'a fence device that is not configured any more is still one',
    cib: {
      resources: dummy('web'),
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { ran: ['old start'], classes: { old: 'stonith' } } },
    },
    transition: ['Start web ( n1 )', 'Stop old ( n1 ) due to node availability'],
  },
  {
    name: 'a lost node with a watchdog fences itself, though no fence device is configured',
    cib: {
      options: { 'fencing-enabled': 'true', 'have-watchdog': 'true' },
      resources: dummy('web'),
      nodes: { n1: { state: 'lost', ran: ['web start'] }, n2: {} },
    },
    transition: ["Fence (reboot) n1 'peer is no longer part of the cluster'", 'Move web ( n1 -> n2 )'],
  },
  {
    name: 'without any means of fencing nothing is touched',
    cib: {
      options: { 'fencing-enabled': 'true' },
      resources: dummy('web'),
      nodes: { n1: { state: 'lost', ran: ['web start'] }, n2: {} },
    },
    transition: [],
  },
  {
    name: 'what fails inside of a container counts against it once',
    cib: {
      resources: `<group id="g">${meta('g', { container: 'box' })}${dummy('box', meta('box', { 'migration-threshold': '6' }))}${dummy('in')}</group>`,
      nodes: {
        n1: {
          ran: ['box start', 'in start', 'in monitor 10000 rc=1 failure'],
          attributes: { 'fail-count-in#monitor_10000': '3' },
        },
        n2: {},
      },
    },
    transition: ['Restart box ( n1 )', 'Recover in ( n1 )'],
  },
  {
    name: 'what fails outside of its container is recovered for its own sake',
    cib: {
      resources: `${dummy('box')}${dummy('in', meta('in', { container: 'box' }))}`,
      nodes: {
        n1: { ran: ['box start'] },
        n2: { ran: ['box monitor 0 rc=7', 'in start', 'in monitor 10000 rc=1 failure'] },
      },
    },
    transition: ['Restart box ( n1 )', 'Recover in ( n2 -> n1 )'],
  },
  {
    name: 'a pending start replaces the role that was recorded before it',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web promote', 'web start pending'] } },
    },
    transition: [],
  },
  {
    name: 'what once was taken for an orphan stays one on nodes that are read later',
    cib: {
      resources: `<bundle id="b"><docker image="i"/><network control-port="3121"/>${dummy('in')}</bundle>`,
      nodes: { n1: { ran: ['in start'] } },
    },
    transition: [
      'Start b-docker-0 ( n1 )',
      'Start b-0 ( n1 )',
      'Start in:0 ( b-0 )',
      'Stop in ( n1 ) due to node availability',
    ],
  },
  {
    name: 'with clone-max=0 the instance that runs is not wanted',
    cib: { resources: clone('c', dummy('web'), { 'clone-max': '0' }), nodes: { n1: { ran: ['web start'] } } },
    transition: ['Stop web:0 ( n1 ) due to node availability'],
  },
  {
    name: 'a guest node that asked to be shut down has its connection stopped',
    cib: {
      resources: dummy('vm', remoteNode('vm')),
      nodes: {
        n1: { ran: ['vm start', 'vm-guest start'] },
        'vm-guest': { remote: true, attributes: { shutdown: '1600000000' } },
      },
    },
    transition: ['Stop vm-guest ( n1 ) due to node availability'],
  },
  {
    name: 'an orphan is nobody’s container',
    cib: {
      resources: dummy('in', meta('in', { container: 'gone' })),
      nodes: { n1: { ran: ['gone start'] } },
    },
    transition: ['Stop gone ( n1 ) due to node availability', 'Start in ( n1 )'],
  },
  {
    name: 'what is blocked by a failure elsewhere is not held where it was found before that',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start'] }, n2: { ran: ['web start', 'web stop rc=3 failure'] } },
    },
    transition: [],
    scores: ['pcmk__primitive_assign: web allocation score on n1: 0'],
  },
  {
    name: 'a member of a group that is to be discovered exclusively is not ruled out elsewhere',
    cib: {
      resources: `<group id="g">${dummy('a')}${dummy('b')}</group>`,
      constraints: '<rsc_location id="l" rsc="b" node="n2" score="100" resource-discovery="exclusive"/>',
      nodes: { n1: {}, n2: {} },
    },
    transition: ['Start a ( n2 )', 'Start b ( n2 )'],
    scores: ['pcmk__group_assign: b allocation score on n1: 0'],
  },
  {
    name: 'a group that is to be discovered exclusively is ruled out elsewhere with its members',
    cib: {
      resources: `<group id="g">${dummy('a')}${dummy('b')}</group>`,
      constraints: '<rsc_location id="l" rsc="g" node="n2" score="100" resource-discovery="exclusive"/>',
      nodes: { n1: {}, n2: {} },
    },
    transition: ['Start a ( n2 )', 'Start b ( n2 )'],
    scores: ['pcmk__group_assign: b allocation score on n1: -INFINITY'],
  },
  {
    name: 'a bundle takes from its hosts what its member needs',
    cib: {
      options: { 'placement-strategy': 'utilization' },
      resources: `<bundle id="b"><docker image="i" replicas="2"/><network control-port="3121"/>${dummy('in', '<utilization id="u"><nvpair id="u-cpu" name="cpu" value="3"/></utilization>')}</bundle>`,
      nodes: { n1: { utilization: { cpu: '2' } }, n2: { utilization: { cpu: '4' } } },
    },
    transition: [
      'Start b-docker-0 ( n2 )',
      'Start b-0 ( n2 )',
      'Start in:0 ( b-0 )',
      'Start b-1 ( n1 ) due to unrunnable b-docker-1 start (blocked)',
      'Start in:1 ( b-1 ) due to unrunnable b-docker-1 start (blocked)',
    ],
  },
  {
    // Since Pacemaker 2.1.7.
    name: 'what must keep away from a resource with one node left sends it elsewhere, however weak the colocation',
    cib: {
      resources: `${dummy('db', meta('db', { 'resource-stickiness': '10' }))}${dummy('web')}`,
      constraints: `<rsc_colocation id="c" rsc="web" with-rsc="db" score="-1"/><rsc_location id="l" rsc="web" node="n2" score="-INFINITY"/>`,
      nodes: { n1: {}, n2: {} },
    },
    transition: ['Start db ( n2 )', 'Start web ( n1 )'],
    scores: ['pcmk__primitive_assign: db allocation score on n2: 1'],
  },
  {
    name: 'what must not run anywhere does not, though a failed promotion asks for its lower role',
    cib: {
      resources: dummy('web', meta('web', { 'target-role': 'Stopped' })),
      nodes: { n1: { ran: ['web promote rc=1'] } },
    },
    transition: ['Stop web ( Promoted n1 ) due to node availability'],
    scores: ['pcmk__primitive_assign: web allocation score on n1: -INFINITY'],
  },
  {
    name: 'a promotable clone that is to be discovered exclusively where it is promoted has no other node, nor that one',
    cib: {
      resources: clone('c', dummy('web'), { promotable: 'true' }),
      constraints: '<rsc_location id="l" rsc="c" node="n1" score="50" role="Promoted" resource-discovery="exclusive"/>',
      nodes: { n1: {}, n2: {} },
    },
    transition: [],
    scores: ['pcmk__clone_assign: c allocation score on n1: -INFINITY'],
  },
  {
    name: 'exclusive discovery by a rule that holds nowhere leaves no node',
    cib: {
      resources: dummy('web'),
      constraints: `<rsc_location id="l" rsc="web" resource-discovery="exclusive"><rule id="r" score="5">
        <expression id="e" attribute="disk" operation="defined"/></rule></rsc_location>`,
      nodes: { n1: {}, n2: {} },
    },
    transition: [],
    scores: ['pcmk__primitive_assign: web allocation score on n1: -INFINITY'],
  },
  {
    name: 'instances in a bundle start by their numbers, though the second is promoted first',
    cib: {
      resources: `<bundle id="b"><docker image="i" replicas="2" promoted-max="1"/><network control-port="3121"/>${dummy('in')}</bundle>`,
      nodes: {
        n1: { ran: ['b-docker-0 start', 'b-0 start'] },
        n2: { ran: ['b-docker-1 start', 'b-1 start'] },
        'b-0': { remote: true },
        'b-1': { remote: true, attributes: { 'master-in': '5' } },
      },
    },
    transition: [
      'Restart b-docker-0 ( n1 ) due to resource definition change',
      'Restart b-docker-1 ( n2 ) due to resource definition change',
      'Restart b-0 ( n1 ) due to resource definition change',
      'Restart b-1 ( n2 ) due to resource definition change',
      'Start in:0 ( b-0 )',
      'Promote in:1 ( Stopped -> Promoted b-1 )',
    ],
    inOrder: ['Resource action: in:0 start on b-0', 'Resource action: in:1 start on b-1'],
  },
  {
    name: 'an instance restarts where an older history that bears its name was made with other parameters',
    cib: {
      resources: clone('c', dummy('web'), { 'clone-max': '1' }),
      nodes: { n1: { ran: ['web:0 monitor 0 rc=7 digest=other', 'web:1 start'] } },
    },
    transition: ['Restart web:0 ( n1 ) due to resource definition change'],
  },
  {
    name: 'an instance that shall be nowhere is paired with one beside it, whose start goes before that of its clone',
    cib: {
      resources: clone('first', dummy('a')) + clone('then', dummy('b'), { interleave: 'true' }),
      constraints:
        '<rsc_order id="o" first="first" then="then"/><rsc_location id="l" rsc="then" node="n2" score="-INFINITY"/>',
      nodes: { n1: { ran: ['a start', 'b start'] }, n2: {} },
    },
    transition: ['Start a:1 ( n2 )'],
    inOrder: ['Pseudo action: first_running_0', 'Pseudo action: then_start_0', 'Pseudo action: then_running_0'],
  },
  {
    name: 'a started member of a promotable group is not called unpromoted beside one that failed to be promoted',
    cib: {
      resources: clone('c', `<group id="g">${dummy('a')}${dummy('b')}</group>`, { promotable: 'true' }),
      constraints: '<rsc_location id="l" rsc="c" node="n1" score="-INFINITY"/>',
      nodes: { n1: { ran: ['a start', 'b start', 'a promote rc=1'] } },
    },
    transition: ['Stop a:0 ( Promoted n1 ) due to node availability', 'Stop b:0 ( n1 ) due to node availability'],
  },
  {
    name: 'an instance that loses its node because of a colocation has no promotion score',
    cib: {
      resources: `<bundle id="b"><docker image="i" replicas="2" promoted-max="1"/><network control-port="3121"/>${dummy('in')}</bundle>
        <bundle id="far"><docker image="i" replicas="2"/></bundle>`,
      constraints: `<rsc_colocation id="k" rsc="b" with-rsc="far" score="INFINITY"/>
        <rsc_location id="l" rsc="far" node="n2" score="-INFINITY"/>
        <rsc_location id="p" rsc="b" node="n1" score="5" role="Promoted"/>`,
      nodes: { n1: {}, n2: {} },
    },
    transition: [
      'Start far-docker-0 ( n1 )',
      'Start b-docker-0 ( n1 )',
      'Start b-0 ( n1 )',
      'Start in:0 ( b-0 )',
      'Start b-1 ( n2 ) due to unrunnable b-docker-1 start (blocked)',
    ],
    scores: ['in:1 promotion score (inactive): -INFINITY'],
  },
  {
    name: 'a unit cannot be promoted, so that a promotable clone of one is as if it were not configured',
    cib: {
      resources: clone('c', '<primitive id="web" class="systemd" type="httpd"/>', { promotable: 'true' }),
      nodes: { n1: { ran: ['web start'], classes: { web: 'systemd' } } },
    },
    transition: ['Stop web ( n1 ) due to node availability'],
  },
  {
    name: 'a promotable clone of a group is one of those members that can be promoted',
    cib: {
      resources: clone('c', `<group id="g">${dummy('a')}<primitive id="b" class="systemd" type="httpd"/></group>`, {
        promotable: 'true',
      }),
      nodes: { n1: {} },
    },
    transition: ['Start a:0 ( n1 )'],
  },
  {
    name: 'a live migration that is not continued is forgotten: the resource moves from where it was found first',
    cib: {
      resources: dummy('web'),
      constraints: '<rsc_location id="l" rsc="web" node="n2" score="100"/>',
      nodes: { n1: { ran: ['web start'] }, n2: { ran: ['web migrate_to from=n2 to=n1'] } },
    },
    transition: ['Move web ( n1 -> n2 )'],
  },
  {
    name: 'no score has brought an unmanaged resource to its node, so that what is placed with it gets none there',
    cib: {
      resources:
        clone('c', dummy('web', meta('web', { 'is-managed': 'false' })), { promotable: 'true' }) + dummy('with'),
      constraints: `<rsc_colocation id="k" rsc="with" with-rsc="c" with-rsc-role="Promoted" score="INFINITY"/>
        <rsc_location id="l" rsc="c" node="n1" score="-INFINITY"/><rsc_location id="m" rsc="with" node="n1" score="7"/>`,
      nodes: { n1: { ran: ['web start', 'web promote'] }, n2: {} },
    },
    transition: ['Start with ( n1 )'],
    scores: ['pcmk__primitive_assign: with allocation score on n1: 7'],
  },
  {
    name: 'what stops with its group and starts nowhere waits for no probe of what the group is placed with',
    cib: {
      resources: clone('c', dummy('a'), { interleave: 'true' }) + `<group id="g">${dummy('b')}</group>`,
      constraints: `<rsc_order id="o" first="c" then="g"/><rsc_location id="l" rsc="g" node="n1" score="-INFINITY"/>`,
      nodes: { n1: { ran: ['a start', 'b start'] }, n2: { attributes: { shutdown: '1' }, ran: ['b monitor 0 rc=7'] } },
    },
    transition: ['Stop b ( n1 ) due to node availability'],
    absent: [
      'rsc_op a_monitor_0 a:1_monitor_0 n2 -> rsc_op b_stop_0 n1',
      'rsc_op a_monitor_0 a:0_monitor_0 n2 -> rsc_op b_stop_0 n1',
    ],
  },
  {
    name: 'fail counts of a node that is fenced go with it',
    cib: {
      resources: dummy('web') + '<primitive id="fence" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true' },
      nodes: {
        n1: {
          ran: ['web start', 'web monitor 10000 failure rc=1 digest=other'],
          attributes: { terminate: 'true', 'fail-count-web#monitor_10000': '1' },
        },
        n2: {},
      },
    },
    transition: ["Fence (reboot) n1 'fencing was requested'", 'Move web ( n1 -> n2 )', 'Start fence ( n2 )'],
    absent: ['crm_event web_clear_failcount_0 n1'],
  },
  {
    name: 'a start that is under way is in the transition of its group although the resource is to be nowhere',
    cib: {
      resources: `<group id="g">${dummy('web')}</group>`,
      constraints: '<rsc_location id="l" rsc="g" node="n1" score="-INFINITY"/>',
      nodes: { n1: { ran: ['web start pending'] } },
    },
    transition: ['Stop web ( n1 ) due to node availability'],
    inOrder: ['Pseudo action: g_stopped_0', 'Pseudo action: g_start_0'],
  },
  {
    name: 'a probe that found no agent is shown in an asymmetric cluster, too',
    cib: {
      resources: dummy('web'),
      options: { 'symmetric-cluster': 'false' },
      nodes: { n1: { ran: ['web monitor 0 rc=5'] } },
    },
    transition: [],
    told: ['web (ocf:pacemaker:Dummy): Stopped (Not installed)'],
  },
  {
    name: 'results of an instance whose history bears a number do not take the place of its older ones',
    cib: {
      resources: clone('c', dummy('web'), { promotable: 'true' }),
      nodes: { n1: { ran: ['web:0 start', 'web:0 promote pending last'] } },
    },
    transition: ['Demote web:0 ( Promoted -> Unpromoted n1 )'],
    told: ['Promoted: [ n1 ]'],
  },
  {
    name: 'a monitor with old parameters is not begun again on a guest node that comes back without its resource',
    cib: {
      resources:
        dummy('vm', remoteNode('vm')) + dummy('web', monitor) + '<primitive id="f" class="stonith" type="fence_x"/>',
      constraints: '<rsc_location id="l" rsc="web" node="n2" score="INFINITY"/>',
      options: { 'fencing-enabled': 'true' },
      nodes: {
        n1: { state: 'lost', ran: ['vm start', 'vm-guest start'] },
        n2: {},
        'vm-guest': { remote: true, ran: ['web start', 'web monitor 10000 digest=other'] },
      },
    },
    transition: [
      "Fence (reboot) n1 'peer is no longer part of the cluster'",
      "Fence (reboot) vm-guest (resource: vm) 'guest is unclean'",
      'Move vm-guest ( n1 -> n2 )',
      'Recover vm ( n1 -> n2 )',
      'Recover web ( vm-guest -> n2 )',
      'Start f ( n2 )',
    ],
    absent: ['rsc_op web_monitor_10000 vm-guest'],
  },
  {
    name: 'an instance whose members are on several nodes is taken to be where the first of them was found',
    cib: {
      resources: clone('c', `<group id="g">${dummy('a')}${dummy('b')}</group>`, {
        'globally-unique': 'true',
        'clone-max': '1',
        'resource-stickiness': '0',
      }),
      nodes: { n1: { ran: ['b:0 start'] }, n2: { ran: ['a:0 start'] } },
    },
    transition: ['Move a:0 ( n2 -> n1 )', 'Restart b:0 ( n1 ) due to required a:0 start'],
  },
  {
    name: 'the connection to a node goes down around what is in maintenance there',
    cib: {
      resources: dummy('vm', remoteNode('vm')) + dummy('web', meta('web', { maintenance: 'true' })),
      nodes: {
        n1: { ran: ['vm start', 'vm-guest start'], attributes: { shutdown: '1' } },
        'vm-guest': { remote: true, ran: ['web start'] },
      },
    },
    transition: ['Stop vm ( n1 ) due to node availability', 'Stop vm-guest ( n1 ) due to node availability'],
    inOrder: [
      'Resource action: vm-guest stop on n1',
      'Resource action: vm stop on n1',
      'Cluster action: do_shutdown on n1',
    ],
  },
  {
    name: 'what is in a bundle does not wait until it is known where containers run that are up elsewhere',
    cib: {
      resources: `<bundle id="b"><docker image="i" replicas="2"/><network control-port="3121"/>${dummy('in')}</bundle>`,
      nodes: { n1: { ran: ['b-docker-0 start', 'b-0 start'] }, n2: {}, 'b-0': { remote: true, ran: ['in start'] } },
    },
    transition: [
      'Restart b-docker-0 ( n1 ) due to resource definition change',
      'Restart b-0 ( n1 ) due to resource definition change',
      'Restart in:0 ( b-0 ) due to required b-docker-0 start',
      'Start b-docker-1 ( n2 )',
      'Start b-1 ( n2 )',
      'Start in:1 ( b-1 )',
    ],
    inOrder: ['Resource action: b-docker-0 monitor on n2'],
    absent: ['rsc_op b-docker-0_monitor_0 n2 -> pseudo_event b-clone_start_0'],
  },
  {
    name: 'a monitor whose failure expired runs once more',
    cib: {
      resources: dummy('web', meta('web', { 'failure-timeout': '10s' }) + monitor),
      nodes: {
        n1: { ran: ['web start', `web monitor 10000 rc=7 failure ${asNow}`, `web monitor 10000 ${asNow}`] },
      },
    },
    transition: [],
    inOrder: ['Resource action: web monitor=10000 on n1'],
  },
  {
    name: 'but not if the resource was started since',
    cib: {
      resources: dummy('web', meta('web', { 'failure-timeout': '10s' }) + monitor),
      nodes: {
        n1: { ran: [`web monitor 10000 rc=7 failure ${asNow}`, 'web start', `web monitor 10000 ${asNow}`] },
      },
    },
    transition: [],
    absent: ['rsc_op web_monitor_10000 n1'],
  },
  {
    name: 'the connection to a node moves once what leaves that node has stopped there',
    cib: {
      resources: remote('r1') + dummy('web'),
      constraints:
        '<rsc_location id="l" rsc="web" node="n2" score="1"/><rsc_location id="m" rsc="r1" node="n2" score="1"/>',
      nodes: { n1: { ran: ['r1 start'] }, n2: {}, r1: { remote: true, ran: ['web start'] } },
    },
    transition: ['Migrate r1 ( n1 -> n2 )', 'Move web ( r1 -> n2 )'],
    inOrder: ['Resource action: web stop on r1', 'Resource action: r1 migrate_to on n1'],
  },
  {
    name: 'a bundle whose member was taken out knows its containers’ connections, and probes nothing inside of them',
    cib: {
      resources: '<bundle id="b"><docker image="i" replicas="1"/></bundle>',
      nodes: {
        n1: { ran: ['b-docker-0 start', 'b-0 start'], containers: { 'b-0': 'b-docker-0' } },
        'b-0': { remote: true, ran: ['in start'] },
      },
    },
    transition: [
      'Restart b-docker-0 ( n1 ) due to resource definition change',
      'Stop b-0 ( n1 ) due to node availability',
      'Stop in ( b-0 ) due to node availability',
    ],
    absent: ['rsc_op b-docker-0_monitor_0 b-0'],
  },
  {
    name: 'on a guest node that has to be reset no monitor is cancelled: it ended with the node',
    cib: {
      resources:
        dummy('vm', remoteNode('vm')) + dummy('web', monitor) + '<primitive id="f" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true' },
      nodes: {
        n1: { state: 'lost', ran: ['vm start', 'vm-guest start'] },
        n2: {},
        'vm-guest': {
          remote: true,
          attributes: { maintenance: 'true' },
          ran: ['web start', `web monitor 10000 ${asNow}`],
        },
      },
    },
    transition: [
      "Fence (reboot) n1 'peer is no longer part of the cluster'",
      "Fence (reboot) vm-guest (resource: vm) 'guest is unclean'",
      'Move vm ( n1 -> n2 )',
      'Move vm-guest ( n1 -> n2 )',
      'Start f ( n2 )',
    ],
    absent: ['rsc_op web_monitor_10000 vm-guest'],
  },
  {
    name: 'a monitor of a bundle’s connection that is not configured any more is cancelled while the connection stops',
    cib: {
      resources: `<bundle id="b">${meta('b', { 'target-role': 'Stopped' })}<docker image="i"/><network control-port="3121"/>${dummy('in')}</bundle>`,
      nodes: { n1: { ran: ['b-docker-0 start', 'b-0 start', 'b-0 monitor 10000'] }, 'b-0': { remote: true } },
    },
    transition: ['Stop b-docker-0 ( n1 ) due to node availability', 'Stop b-0 ( n1 ) due to node availability'],
    inOrder: ['Resource action: b-0 stop on n1', 'Resource action: b-0 cancel=10000 on n1'],
  },
  {
    name: 'an orphan is not listed for a guest node that is down',
    cib: {
      resources: dummy('vm', remoteNode('vm')) + '<primitive id="f" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true' },
      nodes: {
        n1: { ran: ['vm start', 'vm-guest start', 'vm monitor 10000 rc=1'] },
        'vm-guest': { remote: true, ran: ['old start'] },
      },
    },
    transition: [
      "Fence (reboot) vm-guest (resource: vm) 'guest is unclean'",
      'Recover vm ( n1 )',
      'Restart vm-guest ( n1 ) due to required vm start',
      'Start f ( n1 )',
      'Stop old ( vm-guest ) due to node availability',
    ],
    untold: ['old (ocf:pacemaker:Dummy): ORPHANED FAILED vm-guest'],
  },
  {
    name: 'what is in a bundle has to be able to run there: a probe that says it cannot is a failure',
    cib: {
      resources: `<bundle id="b"><docker image="i"/><network control-port="3121"/>${dummy('in')}</bundle>`,
      nodes: {
        n1: { ran: ['b-docker-0 start', 'b-0 start'] },
        'b-0': { remote: true, ran: ['in start', 'in monitor 0 rc=2'] },
      },
    },
    transition: [
      'Restart b-docker-0 ( n1 ) due to resource definition change',
      'Restart b-0 ( n1 ) due to resource definition change',
      'Recover in:0 ( b-0 )',
    ],
    told: ['b-0 (ocf:pacemaker:Dummy): FAILED n1'],
  },
  {
    name: 'beside the host of a container nothing is told of what was not found in the container',
    cib: {
      resources: `<bundle id="b"><docker image="i"/><network control-port="3121"/>${dummy('in')}</bundle>`,
      nodes: {
        n1: { ran: ['b-docker-0 start', 'b-0 start'] },
        'b-0': { remote: true, ran: ['in monitor 0 rc=5'] },
      },
    },
    transition: [
      'Restart b-docker-0 ( n1 ) due to resource definition change',
      'Restart b-0 ( n1 ) due to resource definition change',
      'Start in:0 ( b-0 )',
    ],
    told: ['b-0 (ocf:pacemaker:Dummy): Stopped n1'],
  },
  {
    name: 'a group that nobody manages has no points in the graph, whatever its members would do',
    cib: {
      resources: `<group id="g">${dummy('a')}${dummy('b')}</group>`,
      options: { 'maintenance-mode': 'true' },
      nodes: { n1: { ran: ['a monitor 0 rc=7', 'b monitor 0 rc=7'] } },
    },
    transition: [],
    absent: ['pseudo_event g_start_0', 'pseudo_event g_running_0'],
  },
  {
    name: 'what was stopped while a monitor was on its way is still told of where that went',
    cib: {
      resources: dummy('web', meta('web', { 'target-role': 'Stopped' }) + monitor),
      nodes: { n1: { ran: ['web start', 'web monitor 10000 pending'] } },
    },
    transition: ['Stop web ( n1 ) due to node availability'],
    told: ['web (ocf:pacemaker:Dummy): Stopped n1 (disabled)'],
  },
  {
    name: 'a pending operation is not newer than one whose transition nobody knows',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start early', 'web promote pending digest=other'] } },
    },
    transition: [],
    told: ['web (ocf:pacemaker:Dummy): Started n1'],
  },
  {
    name: 'of several stops, the one that clears up after a migration is told of',
    cib: {
      resources: `${dummy('web', meta('web', { 'allow-migrate': 'true' }))}<primitive id="f" class="stonith" type="fence_x"/>`,
      options: { 'fencing-enabled': 'true' },
      quorum: false,
      nodes: {
        n1: { state: 'lost', ran: ['web start', 'web migrate_to pending from=n1 to=n2'] },
        n2: { ran: ['web monitor 0 rc=7', 'f monitor 0 rc=7'] },
      },
    },
    transition: ['Start f ( n2 ) due to no quorum (blocked)', 'Stop web ( n1 ) due to no quorum'],
  },
  {
    name: 'monitors are not ended on a node in maintenance that is going to be fenced',
    cib: {
      resources: `${dummy('web', monitor)}<primitive id="f" class="stonith" type="fence_x"/>`,
      constraints: '<rsc_ticket id="t" rsc="web" ticket="T" loss-policy="fence"/>',
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { ran: ['web start', 'web monitor 10000'], attributes: { maintenance: 'true' } } },
    },
    transition: ["Fence (reboot) n1 'deadman ticket was lost'"],
    absent: ['rsc_op web_monitor_10000 n1'],
  },
  {
    name: 'what is more important is probed first, and so a node unfenced for it',
    cib: {
      resources: `<primitive id="key" class="stonith" type="fence_x">${meta('key', { provides: 'unfencing' })}</primitive>
        ${dummy('disk', meta('disk', { requires: 'unfencing', priority: '10' }))}`,
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: {} },
    },
    transition: ["Fence (on) n1 'required by disk monitor'", 'Start disk ( n1 )', 'Start key ( n1 )'],
  },
  {
    name: 'what is active where it is unexpected is stopped there only, unless it has to leave its role where it belongs, too',
    cib: {
      resources: dummy('web', meta('web', { 'multiple-active': 'stop_unexpected' })),
      nodes: { n1: { ran: ['web monitor 0 rc=8'] }, n2: { ran: ['web monitor 0 rc=8'] } },
    },
    transition: ['Restart web ( Promoted -> Started n1 )'],
    inOrder: [
      'Resource action: web demote on n1',
      'Resource action: web stop on n1',
      'Resource action: web start on n1',
    ],
  },
  {
    name: 'a clone is kept from a node with the instances that it had when one failed there, not with those that were found later',
    cib: {
      resources: clone('c', dummy('web', monitor), { 'is-managed': 'false', 'clone-max': '1' }),
      nodes: { n1: { ran: ['web:0 monitor 0 rc=3 failure', 'web:1 start', 'web:1 monitor 10000'] } },
    },
    transition: [],
    absent: ['rsc_op web:0_monitor_10000 n1', 'rsc_op web_monitor_10000 n1'],
  },
  {
    name: 'a remote node that is down is told of maintenance, too',
    cib: {
      resources: remote('r1') + '<primitive id="f" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true', 'maintenance-mode': 'true' },
      nodes: { n1: { ran: ['r1 start', 'r1 stop'] }, r1: { remote: true } },
    },
    transition: [],
    inOrder: ['Pseudo action: maintenance_nodes'],
  },
  {
    name: 'a live migration is not continued where the resource is on a third node as well',
    cib: {
      resources:
        dummy('vm', meta('vm', { 'allow-migrate': 'true' })) + '<primitive id="f" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true' },
      constraints: '<rsc_location id="l" rsc="vm" node="n2" score="5"/>',
      nodes: {
        n1: { ran: ['vm start', 'vm migrate_to from=n1 to=n2'] },
        n2: { ran: ['vm monitor 0 rc=7'] },
        n3: { state: 'lost', ran: ['vm start'] },
      },
    },
    transition: ["Fence (reboot) n3 'peer is no longer part of the cluster'", 'Restart vm ( n2 )', 'Start f ( n1 )'],
    inOrder: ['Resource action: vm stop on n1', 'Resource action: vm stop on n2', 'Resource action: vm start on n2'],
  },
  {
    name: 'the connections of a bundle and of a guest node go where their containers are allowed in an asymmetric cluster',
    cib: {
      resources:
        `<bundle id="b"><podman image="i"/><network control-port="3121"/>${dummy('web')}</bundle>` +
        dummy('vm', remoteNode('vm')),
      options: { 'symmetric-cluster': 'false' },
      constraints:
        '<rsc_location id="l1" rsc="b" node="n2" score="10"/><rsc_location id="l2" rsc="vm" node="n1" score="10"/>',
      nodes: { n1: {}, n2: {} },
    },
    transition: [
      'Start b-podman-0 ( n2 )',
      'Start b-0 ( n2 )',
      'Start web:0 ( b-0 )',
      'Start vm ( n1 )',
      'Start vm-guest ( n1 )',
    ],
    scores: [
      'pcmk__primitive_assign: b-0 allocation score on b-0: -INFINITY',
      'pcmk__primitive_assign: vm-guest allocation score on b-0: -INFINITY',
    ],
  },
  {
    name: 'the address of a bundle is recovered under its running container',
    cib: {
      resources:
        '<bundle id="b"><podman image="i"/><network control-port="3121" ip-range-start="192.168.9.1"/></bundle>',
      nodes: {
        n1: {
          ran: [
            'b-ip-192.168.9.1 start digest=c7e9f957bde55e7f578d29f4a43a4360',
            'b-ip-192.168.9.1 monitor 60000 rc=7 digest=b59cce73b0698d11765133e8dcdb3ff9',
            'b-podman-0 start digest=b35e41900992b87d2961b13030fb7f10',
            'b-podman-0 monitor 60000 digest=beceddb2e0b35edebf3164b79bdc9ec9',
          ],
          agents: { 'b-ip-192.168.9.1': 'heartbeat:IPaddr2', 'b-podman-0': 'heartbeat:podman' },
        },
      },
    },
    transition: ['Recover b-ip-192.168.9.1 ( n1 )'],
  },
  {
    name: 'what is blocked with instances that cannot start names the one that was planned last',
    cib: {
      resources:
        clone('c', dummy('db')) +
        `<bundle id="b"><podman image="i"/><network control-port="3121"/>${dummy('web')}</bundle>`,
      constraints:
        '<rsc_location id="l1" rsc="c" node="n1" score="-INFINITY"/><rsc_location id="l2" rsc="c" node="n2" score="-INFINITY"/>' +
        '<rsc_colocation id="co" rsc="b" with-rsc="c" score="INFINITY"/>',
      nodes: { n1: {}, n2: {} },
    },
    transition: [
      'Start b-0 ( n1 ) due to colocation with db:1 (blocked)',
      'Start web:0 ( b-0 ) due to colocation with db:1 (blocked)',
    ],
  },
  {
    name: 'a guest node that was up before a failed start of its container elsewhere is read is not fenced',
    cib: {
      resources: dummy('vm', remoteNode('vm')) + dummy('web') + '<primitive id="f" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true' },
      constraints: '<rsc_location id="l" rsc="web" node="vm-guest" score="50"/>',
      nodes: {
        n1: { ran: [`vm start ${asNow}`, 'vm-guest start'], containers: { 'vm-guest': 'vm' } },
        'vm-guest': { remote: true, ran: ['web start'] },
        n2: { ran: ['vm start rc=1'], attributes: { 'fail-count-vm#start_0': 'INFINITY' } },
      },
    },
    transition: [
      'Start f ( n2 )',
      'Recover vm ( n1 )',
      'Restart web ( vm-guest ) due to required vm start',
      'Restart vm-guest ( n1 ) due to required vm start',
    ],
    inOrder: ['Resource action: web stop on vm-guest', 'Resource action: vm stop on n1'],
  },
  {
    name: 'what runs with parameters that nobody knows is started again, and its monitor with it',
    cib: {
      resources: dummy('web', monitor),
      nodes: { n1: { ran: ['web start undigested', 'web monitor 10000'] } },
    },
    transition: ['Restart web ( n1 ) due to resource definition change'],
    inOrder: [
      'Resource action: web stop on n1',
      'Resource action: web start on n1',
      'Resource action: web monitor=10000 on n1',
    ],
  },
  {
    name: 'a failure with parameters that nobody knows still counts',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start failure rc=1 undigested', 'web stop'], attributes: failedStart } },
    },
    transition: [],
  },
  {
    name: 'a monitor that failed after the last stop ran by mistake: it is not cancelled',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start', 'web stop', 'web monitor 10000 rc=6'] } },
      options: { 'fencing-enabled': 'true' },
    },
    transition: [],
    untold: ['Resource action: web cancel=10000 on n1'],
  },
  {
    name: 'a live migration comes after that of the instances of a clone',
    cib: {
      resources:
        clone('c', dummy('fs'), { 'allow-migrate': 'true' }) + dummy('vm', meta('vm', { 'allow-migrate': 'true' })),
      constraints: '<rsc_order id="o" first="c" then="vm" kind="Optional"/>',
      nodes: { n1: { ran: ['fs start', 'vm start'], attributes: { standby: 'on' } }, n2: {} },
    },
    transition: ['Migrate fs:0 ( n1 -> n2 )', 'Migrate vm ( n1 -> n2 )'],
    inOrder: ['Resource action: fs migrate_from on n2', 'Resource action: vm migrate_to on n1'],
  },
  {
    name: 'a group of which the cluster leaves everything alone on a node that left cleanly is not listed',
    cib: {
      resources: `<group id="g">${meta('g', { 'is-managed': 'false' })}<primitive id="f" class="stonith" type="fence_x"/></group>`,
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { state: 'offline', ran: ['f start'], classes: { f: 'stonith' } } },
    },
    transition: [],
    untold: ['Resource Group: g (unmanaged):'],
  },
  {
    name: 'nor is one on a node that is lost',
    cib: {
      resources: `<group id="g">${dummy('web')}</group>`,
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { state: 'lost', ran: ['web start'], attributes: { maintenance: 'true' } } },
    },
    transition: [],
    told: ['No resources'],
    untold: ['Resource Group: g (maintenance):', 'Resource Group: g:'],
  },
  {
    name: 'what failed is stopped where it did, not after the fencing of another node where it failed for good',
    cib: {
      resources: dummy('web') + '<primitive id="f" class="stonith" type="fence_x"/>',
      options: { 'fencing-enabled': 'true' },
      nodes: { n1: { ran: ['web stop failure rc=1'] }, n2: { ran: ['web monitor 0 rc=1 status=2'] } },
    },
    transition: ["Fence (reboot) n1 'web failed there'", 'Recover web ( n1 -> n2 )', 'Start f ( n2 )'],
    absent: ['crm_event stonith-n1-reboot n1 -> rsc_op web_stop_0 n2'],
  },
  {
    name: 'what may be on a bundle’s node and nowhere else exclusively starts once the container is known to be down',
    cib: {
      resources: `<bundle id="b"><podman image="i"/><network control-port="3121"/>${dummy('in')}</bundle>${dummy('web')}`,
      constraints: `<rsc_location id="l" rsc="web" node="b-0" score="0" resource-discovery="exclusive"/>
        <rsc_location id="m" rsc="web" node="n1" score="5" resource-discovery="exclusive"/>`,
      nodes: { n1: {} },
    },
    transition: ['Start b-podman-0 ( n1 )', 'Start b-0 ( n1 )', 'Start in:0 ( b-0 )', 'Start web ( n1 )'],
    edges: ['rsc_op b-podman-0_monitor_0 n1 -> rsc_op web_start_0 n1'],
  },
  {
    name: 'a colocation for the role Promoted counts for the first member of a group as for the group',
    cib: {
      resources: `${clone(
        'c',
        `<group id="g"><primitive id="db" class="ocf" provider="pacemaker" type="Stateful">${meta('db', { priority: '-1' })}</primitive></group>`,
        { promotable: 'true' },
      )}${dummy('web')}`,
      constraints: '<rsc_colocation id="l" rsc="c" rsc-role="Promoted" with-rsc="web" score="INFINITY"/>',
      nodes: {
        n1: { ran: ['db promote', 'web start'], agents: { db: 'pacemaker:Stateful' } },
        n2: { ran: ['db start'], agents: { db: 'pacemaker:Stateful' } },
      },
    },
    transition: [],
    scores: ['g:0 promotion score on n1: INFINITY', 'g:1 promotion score on n2: -INFINITY'],
  },
  {
    name: 'a connection that is recorded on a lost node and an online one is taken to be on the latter',
    cib: {
      resources: `${remote('r1')}${dummy('web')}<primitive id="f" class="stonith" type="fence_x"/>`,
      options: { 'fencing-enabled': 'true' },
      constraints: '<rsc_location id="l" rsc="r1" node="n2" score="-INFINITY"/>',
      nodes: { n1: { state: 'lost', ran: ['r1 start'] }, n2: { ran: ['r1 start'] }, r1: { remote: true } },
    },
    transition: [
      "Fence (reboot) n1 'peer is no longer part of the cluster'",
      'Start f ( n2 )',
      'Start web ( n2 )',
      'Stop r1 ( n1 ) due to node availability',
      'Stop r1 ( n2 ) due to node availability',
    ],
    inOrder: ['Resource action: web monitor on r1', 'Resource action: r1 stop on n2'],
  },
  {
    name: 'what is ordered after a group stops when it is known that no member is active elsewhere',
    cib: {
      resources: `<group id="g">${dummy('db')}</group>${dummy('web')}`,
      constraints: '<rsc_order id="o" first="g" then="web"/>',
      quorum: false,
      nodes: { n1: { ran: ['db start', 'web start'] }, n2: {} },
    },
    transition: ['Stop db ( n1 ) due to no quorum', 'Stop web ( n1 ) due to no quorum'],
    edges: ['rsc_op db_monitor_0 n2 -> rsc_op web_stop_0 n1'],
  },
  {
    name: 'a primary that is nowhere has no rack, like a node of which nobody knows the rack',
    cib: {
      resources: `${clone('c', dummy('db'), { promotable: 'true' })}${dummy('web', meta('web', { 'target-role': 'Stopped' }))}`,
      constraints:
        '<rsc_colocation id="l" rsc="c" rsc-role="Promoted" with-rsc="web" node-attribute="rack" score="INFINITY"/>',
      nodes: { n1: { ran: ['db promote', 'web monitor 0 rc=7'] } },
    },
    transition: [],
    scores: ['db:0 promotion score on n1: INFINITY'],
  },
  {
    name: 'a member of a bundle that was met on its own node before is no orphan after one on the node of another bundle',
    cib: {
      resources: `<bundle id="b"><docker image="i" replicas="2"/><network control-port="3121"/>${dummy('in')}</bundle>
        <bundle id="d"><docker image="i"/><network control-port="3121"/>${dummy('other')}</bundle>`,
      nodes: {
        n1: { ran: ['b-docker-0 start', 'b-0 start', 'd-docker-0 start', 'd-0 start'] },
        n2: { ran: ['b-docker-1 start', 'b-1 start'] },
        'b-0': { remote: true, ran: ['in start'] },
        'd-0': { remote: true, ran: ['in start'] },
        'b-1': { remote: true, ran: ['in start'] },
      },
    },
    transition: [
      'Restart b-0 ( n1 ) due to resource definition change',
      'Restart b-1 ( n2 ) due to resource definition change',
      'Restart b-docker-0 ( n1 ) due to resource definition change',
      'Restart b-docker-1 ( n2 ) due to resource definition change',
      'Restart d-0 ( n1 ) due to resource definition change',
      'Restart d-docker-0 ( n1 ) due to resource definition change',
      'Restart in:0 ( b-0 ) due to required b-docker-0 start',
      'Restart in:1 ( b-1 ) due to required b-docker-1 start',
      'Start other:0 ( d-0 )',
      'Stop in ( d-0 ) due to node availability',
    ],
    told: ['b-0 (ocf:pacemaker:Dummy): Started n1', 'b-1 (ocf:pacemaker:Dummy): Started n2'],
  },
  {
    name: 'of two colocations of the same clones the one configured last is applied first',
    cib: {
      resources: clone('c', dummy('db')) + clone('d', dummy('web')),
      constraints:
        '<rsc_colocation id="l" rsc="d" with-rsc="c" score="-100"/><rsc_colocation id="m" rsc="d" with-rsc="c" score="500"/>',
      nodes: { n1: {}, n2: {} },
    },
    transition: ['Start db:0 ( n1 )', 'Start db:1 ( n2 )', 'Start web:0 ( n1 )', 'Start web:1 ( n2 )'],
    // With the other first, the second -100 would leave no node, and be given up.
    scores: [
      'pcmk__primitive_assign: web:0 allocation score on n1: 400',
      'pcmk__primitive_assign: web:0 allocation score on n2: 400',
    ],
  },
  {
    name: 'a start that has failed since it was sent is not pending',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start pending', 'web start failure rc=7', 'web stop last'] }, n2: {} },
    },
    transition: ['Start web ( n1 )'],
  },
  {
    name: 'a monitor that was sent is pending whatever start has failed',
    cib: {
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start failure rc=7', 'web start last', 'web monitor 10000 pending'] } },
    },
    transition: [],
    told: ['web (ocf:pacemaker:Dummy): Started n1 (Monitoring)'],
  },
  {
    name: 'a reload with an interval is done at that interval, a start is not',
    cib: {
      resources: dummy(
        'web',
        '<operations><op id="r" name="reload" interval="7s"/><op id="s" name="start" interval="7s"/><op id="a" name="reload-agent" interval="7s"/></operations>',
      ),
      nodes: { n1: {} },
    },
    transition: ['Start web ( n1 )'],
    inOrder: ['Resource action: web start on n1', 'Resource action: web reload=7000 on n1'],
    untold: ['Resource action: web start=7000 on n1', 'Resource action: web reload-agent=7000 on n1'],
  },
  {
    name: 'an old probe that found no agent says that nothing runs there, and bans nothing once it has expired',
    cib: {
      defaults: { 'failure-timeout': '10s' },
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start', 'web monitor 0 rc=5 failure'] } },
    },
    transition: ['Start web ( n1 )'],
  },
  {
    name: 'one that has not expired does',
    cib: { resources: dummy('web'), nodes: { n1: { ran: ['web start', 'web monitor 0 rc=5 failure'] } } },
    transition: [],
  },
  {
    name: 'one that has expired is passed over where it was not said that nothing was to be found',
    cib: {
      defaults: { 'failure-timeout': '10s' },
      resources: dummy('web'),
      nodes: { n1: { ran: ['web start', 'web monitor 0 rc=5 failure keyless'] } },
    },
    transition: [],
    told: ['web (ocf:pacemaker:Dummy): Started n1'],
  },
]

test.each(cases)('$name', ({ cib, transition, scores = [], inOrder = [], told = [], untold = [], ...graph }) => {
  const simulated = simulateSmall(cib)
  const lines = simulated.summary.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').replace(/^ \* /, '').trim())
  expect(simulated.transition.toSorted()).toEqual(transition.toSorted())
  expect(simulated.scores).toEqual(expect.arrayContaining([...scores]))
  expect(simulated.executed.filter((line) => inOrder.includes(line))).toEqual(inOrder)
  expect(lines).toEqual(expect.arrayContaining([...told]))
  expect(lines.filter((line) => untold.includes(line))).toEqual([])
  expect(simulated.graph.filter((line) => graph.absent?.includes(line))).toEqual([])
  expect(simulated.graph).toEqual(expect.arrayContaining([...(graph.edges ?? [])]))
})

test('what an instance does is recorded under the name by which the node knows it, though another has an empty history', () => {
  const { summary } = simulateSmall({
    resources: clone('c', dummy('web'), { 'clone-max': '0' }),
    nodes: { n1: { ran: ['web:0 notify', 'web:1 start'] } },
  })
  const [before, after] = summary.split('Revised Cluster Status:')
  expect(before).toContain('ORPHANED Started n1')
  expect(after).not.toContain('ORPHANED')
})
