/** What histories lead to: rules that came to light beside `crm_simulate` on changed cases, each in the smallest cluster that shows it. */
import { expect, test } from 'vitest'
import { dummy, meta, type SmallCib, simulateSmall } from './small-cib.ts'

const failedStart = { 'fail-count-web#start_0': 'INFINITY', 'last-failure-web#start_0': '1600000000' }
const clone = (id: string, inside: string, values: Readonly<Record<string, string>> = {}): string =>
  `<clone id="${id}">${meta(id, values)}${inside}</clone>`
const remoteNode = (name: string): string => meta(name, { 'remote-node': `${name}-guest` })

const cases: readonly { readonly name: string; readonly cib: SmallCib; readonly transition: readonly string[] }[] = [
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
]

test.each(cases)('$name', ({ cib, transition }) => {
  expect(simulateSmall(cib).transition.toSorted()).toEqual(transition.toSorted())
})
