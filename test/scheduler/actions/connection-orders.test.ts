import { expect, test } from 'vitest'
import {
  type ConnectionOrdering,
  type OnGuest,
  type OnRemote,
  orderingsOnGuest,
  orderingsOnRemote,
} from '../../../src/scheduler/actions/orders/connection-orders.ts'

const told = (orderings: readonly ConnectionOrdering[]): string =>
  orderings
    .map((ordering) => {
      if (ordering.kind === 'fence') return `fence: ${ordering.reason}`
      return ordering.kind === 'before-stop' ? 'before the connection goes' : `after the ${ordering.of} is up`
    })
    .join(', ')

const remote: readonly (Partial<OnRemote> & { readonly name: string; readonly orderings: string })[] = [
  {
    name: 'a start waits for the connection',
    deed: 'start',
    state: 'resting',
    orderings: 'after the connection is up',
  },
  { name: 'a stop goes over a connection that is there', deed: 'stop', orderings: 'before the connection goes' },
  {
    name: 'what runs behind a connection that is lost for good ends by fencing',
    deed: 'stop',
    state: 'failed',
    orderings: 'fence: resources are active but connection is unrecoverable',
  },
  {
    name: 'a stop comes before a connection goes down on purpose',
    deed: 'stop',
    state: 'stopped',
    goesDown: true,
    orderings: 'before the connection goes',
  },
  {
    name: 'a stop waits for a connection that moves',
    deed: 'stop',
    state: 'resting',
    orderings: 'after the connection is up',
  },
  { name: 'a demotion over a connection that stays waits for nothing', deed: 'demote', orderings: '' },
  { name: 'a cancellation takes the connection that there is', deed: 'cancel', state: 'failed', orderings: '' },
  { name: 'a monitor waits for the connection', deed: 'recur', orderings: 'after the connection is up' },
  {
    name: 'what cannot be asked any more is found out by fencing',
    deed: 'probe',
    state: 'failed',
    orderings: 'fence: resources are in unknown state and connection is unrecoverable, after the connection is up',
  },
  {
    name: 'a probe comes before a connection goes down for good',
    deed: 'probe',
    state: 'stopped',
    isUp: true,
    orderings: 'before the connection goes',
  },
  {
    name: 'a probe waits for a connection that is down',
    deed: 'probe',
    state: 'stopped',
    orderings: 'after the connection is up',
  },
]

for (const { name, orderings, ...facts } of remote)
  test(`on a remote node, ${name}`, () =>
    expect(told(orderingsOnRemote({ deed: 'other', state: 'alive', isUp: false, goesDown: false, ...facts }))).toBe(
      orderings,
    ))

const guest: readonly (Partial<OnGuest> & { readonly name: string; readonly orderings: string })[] = [
  {
    name: 'a start waits for the container and the connection',
    deed: 'start',
    orderings: 'after the container is up, after the connection is up',
  },
  { name: 'a stop goes over the connection', deed: 'stop', orderings: 'before the connection goes' },
  {
    name: 'what goes down with a failed container needs no connection',
    deed: 'demote',
    hasContainerFailed: true,
    orderings: '',
  },
  {
    name: 'a monitor waits for the connection to a new container',
    deed: 'recur',
    hasContainerFailed: true,
    orderings: 'after the connection is up',
  },
]

for (const { name, orderings, ...facts } of guest)
  test(`on a guest node, ${name}`, () =>
    expect(told(orderingsOnGuest({ deed: 'other', hasContainerFailed: false, ...facts }))).toBe(orderings))
