/** Packets of DNS on a connection: each after its length in two bytes. */

export function withLength(packet: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(packet.length)
  return Buffer.concat([length, packet])
}

/** Takes what has arrived; false once a packet is longer than it may be, after which nothing can be read any more. */
export function readMessages(take: (packet: Buffer) => void, longest = 65_535): (data: Buffer) => boolean {
  let held: Buffer = Buffer.alloc(0)
  return (data) => {
    held = held.length === 0 ? data : Buffer.concat([held, data])
    while (held.length >= 2) {
      const length = held.readUInt16BE(0)
      if (length > longest) return false
      if (held.length < length + 2) break
      const packet = held.subarray(2, length + 2)
      held = held.subarray(length + 2)
      take(packet)
    }
    // Not all that it was cut from.
    held = Buffer.from(held)
    return true
  }
}
