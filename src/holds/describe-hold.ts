/** Holds in words. */
import { assertNever, printable } from '../base/index.ts'
import type { HoldNote } from './holds-in-cib.ts'

/** `n2 is drained by root since 2026-11-23 14:02:00 UTC, until 16:02:00 UTC: kernel update` */
export function describeHold(hold: HoldNote): string {
  const reason = hold.reason === undefined ? '' : `: ${hold.reason}`
  return printable(`${stateOf(hold)} by ${whoHolds(hold)} since ${heldSince(hold)}${heldUntil(hold)}${reason}`)
}

function stateOf({ kind, node, resource, role }: HoldNote): string {
  switch (kind) {
    case 'drain':
      return `${node} is drained`
    case 'standby':
      return `${node} is held in standby`
    case 'maintenance':
      return `${node ?? resource} is held in maintenance`
    case 'disable':
      return `${resource} is held stopped`
    case 'ban':
      return `${resource} is kept off ${node}${roleWords(role)}`
    case 'prefer':
      return `${resource} is held on ${node}${roleWords(role)}`
    default:
      return assertNever(kind)
  }
}

const roleWords = (role: string | undefined): string => (role === undefined ? '' : ` in the role ${role}`)

/** `root`, `the rollout r7 of root`, `'resource move web n2' of root on n1` */
function whoHolds({ owner: { kind, name, user, node } }: HoldNote): string {
  switch (kind) {
    case 'user':
      return user
    case 'command':
      return `'${name}' of ${user} on ${node}`
    case 'rollout':
    case 'job':
      return `the ${kind} ${name} of ${user}`
    default:
      return assertNever(kind)
  }
}

/** `2026-11-23 14:02:00 UTC` */
function heldSince({ since }: HoldNote): string {
  const at = new Date(since)
  return Number.isNaN(at.getTime()) ? since : `${inUtc(at)} UTC`
}

/** Nothing of a hold that a process renews: its time is how long it outlives that process. The day only where it is another. */
function heldUntil({ owner, since, ttlMs }: HoldNote): string {
  const [from, end] = [new Date(since), new Date(Date.parse(since) + (ttlMs ?? Number.NaN))]
  if (owner.kind === 'command' || Number.isNaN(end.getTime())) return ''
  const [day = '', time = ''] = inUtc(end).split(' ')
  return `, until ${inUtc(from).startsWith(day) ? '' : `${day} `}${time} UTC`
}

const inUtc = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ')

/** What an operator does to end it. */
export function howToEnd({ id, kind, node, owner }: HoldNote): string {
  if (owner.kind === 'rollout') return `It ends with the rollout: systole rollout abort ${owner.name}`
  if (owner.kind === 'job') return `It ends with the job: systole job cancel ${owner.name}`
  if (owner.kind === 'command') return 'It ends with that command.'
  return `To end it: systole ${kind === 'drain' ? `node undrain ${node}` : `hold release ${id}`}`
}
