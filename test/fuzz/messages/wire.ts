/** The end of a connection as the protocols see it, without a network: what a peer says is put in, what is answered is counted. */
import { EventEmitter } from 'node:events'
import type { TLSSocket } from 'node:tls'

export interface Wire {
  readonly socket: TLSSocket
  readonly say: (bytes: Buffer) => void
  readonly isOpen: () => boolean
  readonly written: () => number
}

export function createWire(): Wire {
  const events = new EventEmitter()
  let isOpen = true
  let written = 0
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    events.emit('close')
  }
  const socket = Object.assign(events, {
    setNoDelay: () => socket,
    setTimeout: () => socket,
    write: () => {
      written++
      return true
    },
    end,
    destroy: end,
  })
  return {
    socket: socket as unknown as TLSSocket,
    say: (bytes) => {
      if (isOpen) events.emit('data', bytes)
    },
    isOpen: () => isOpen,
    written: () => written,
  }
}
