import { expect, test } from 'vitest'
import {
  type OnGuest,
  type OnRemote,
  type Tie,
  tiesOnGuest,
  tiesOnRemote,
} from '../../../src/scheduler/actions/orders/connection-orders.ts'

const told = (ties: readonly Tie[]): string =>
  ties
    .map((tie) => {
      if (tie.kind === 'fence') return `fence: ${tie.reason}`
      return tie.kind === 'before-stop' ? 'before the connection goes' : `after the ${tie.of} is up`
    })
    .join(', ')

const remote: readonly (Partial<OnRemote> & { readonly name: string; readonly ties: string })[] = [
  { name: 'a start waits for the connection', deed: 'start', state: 'resting', ties: 'after the connection is up' },
  { name: 'a stop goes over a connection that is there', deed: 'stop', ties: 'before the connection goes' },
  {
    name: 'what runs behind a connection that is lost for good ends by fencing',
    deed: 'stop',
    state: 'failed',
    ties: 'fence: resources are active but connection is unrecoverable',
  },
  {
    name: 'a stop comes before a connection goes down on purpose',
    deed: 'stop',
    state: 'stopped',
    goesDown: true,
    ties: 'before the connection goes',
  },
  {
    name: 'a stop waits for a connection that moves',
    deed: 'stop',
    state: 'resting',
    ties: 'after the connection is up',
  },
  { name: 'a demotion over a connection that stays waits for nothing', deed: 'demote', ties: '' },
  { name: 'a cancellation takes the connection that there is', deed: 'cancel', state: 'failed', ties: '' },
  { name: 'a monitor waits for the connection', deed: 'recur', ties: 'after the connection is up' },
  {
    name: 'what cannot be asked any more is found out by fencing',
    deed: 'probe',
    state: 'failed',
    ties: 'fence: resources are in unknown state and connection is unrecoverable, after the connection is up',
  },
  {
    name: 'a probe comes before a connection goes down for good',
    deed: 'probe',
    state: 'stopped',
    isUp: true,
    ties: 'before the connection goes',
  },
  {
    name: 'a probe waits for a connection that is down',
    deed: 'probe',
    state: 'stopped',
    ties: 'after the connection is up',
  },
]

for (const { name, ties, ...facts } of remote)
  test(`on a remote node, ${name}`, () =>
    expect(told(tiesOnRemote({ deed: 'other', state: 'alive', isUp: false, goesDown: false, ...facts }))).toBe(ties))

const guest: readonly (Partial<OnGuest> & { readonly name: string; readonly ties: string })[] = [
  {
    name: 'a start waits for the container and the connection',
    deed: 'start',
    ties: 'after the container is up, after the connection is up',
  },
  { name: 'a stop goes over the connection', deed: 'stop', ties: 'before the connection goes' },
  {
    name: 'what goes down with a failed container needs no connection',
    deed: 'demote',
    hasContainerFailed: true,
    ties: '',
  },
  {
    name: 'a monitor waits for the connection to a new container',
    deed: 'recur',
    hasContainerFailed: true,
    ties: 'after the connection is up',
  },
]

for (const { name, ties, ...facts } of guest)
  test(`on a guest node, ${name}`, () =>
    expect(told(tiesOnGuest({ deed: 'other', hasContainerFailed: false, ...facts }))).toBe(ties))
