/** What a peer's pulse thread says, on the thread that keeps this node alive. */
import * as v from 'valibot'
import type { Pulse } from '../generated/systole.ts'
import { decode } from './codec.ts'
import { BadMessageError, checked, countForm, listUpTo, nodeForm, numberForm, textUpTo } from './words.ts'

/** A cluster has far fewer nodes. */
const mostNodes = 1000
const mostLinks = 8

export const longestPulse = 65_535

const pulseForm = v.object({
  node: nodeForm,
  incarnation: countForm,
  sequence: numberForm,
  silent: listUpTo(mostNodes, nodeForm),
  silentLinks: listUpTo(
    mostNodes * mostLinks,
    v.object({ node: nodeForm, link: v.pipe(countForm, v.maxValue(mostLinks - 1, 'there is no such link')) }),
  ),
  padding: textUpTo(longestPulse),
})

/** `caller` is the node that the certificate names: a node speaks for itself only. */
export function readPulse(bytes: Uint8Array, caller: string): Pulse {
  const pulse = checked(pulseForm, 'a pulse', decoded(bytes))
  if (pulse.node !== caller) throw new BadMessageError('a pulse in the name of another node')
  return pulse
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return decode('Pulse', bytes)
  } catch (error) {
    throw new BadMessageError('a pulse that cannot be read', { cause: error })
  }
}
