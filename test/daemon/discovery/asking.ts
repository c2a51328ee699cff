/** Packets of askers, and a responder that knows a few services. */
import dnsPacket, { type DecodedPacket, type Packet, type RecordType } from 'dns-packet'
import { Allowance } from '../../../src/daemon/discovery/allowance.ts'
import { callersOf } from '../../../src/daemon/discovery/callers.ts'
import { Forwarder } from '../../../src/daemon/discovery/forwarder.ts'
import type { ResponderPorts } from '../../../src/daemon/discovery/responder.ts'
import { parseDnsSetting, parseService, type Service, zoneOf } from '../../../src/services/index.ts'

export const edns = (udpPayloadSize: number, ednsVersion = 0): NonNullable<Packet['additionals']>[number] => ({
  type: 'OPT',
  name: '.',
  udpPayloadSize,
  extendedRcode: 0,
  ednsVersion,
  flags: 0,
  flag_do: false,
  options: [],
})

export function questionPacket(name: string, type: RecordType = 'A', more: Partial<Packet> = {}): Buffer {
  return dnsPacket.encode({ type: 'query', id: 4711, flags: 0x0100, questions: [{ name, type }], ...more })
}

/** A service with so many instances, on nodes of their own. */
export function serviceOf(name: string, count: number): Service {
  const parsed = parseService({ name, resource: 'web' }, 'port=80')
  if (!parsed.ok) throw new Error(parsed.reports.join())
  const instances = Array.from({ length: count }, (_, index) => ({
    resource: `web:${index}`,
    node: `n${index}`,
    address: `10.0.${index >> 8}.${index & 255}`,
    port: 80,
    state: 'healthy' as const,
  }))
  return { definition: parsed.value, expected: count, instances }
}

export interface Asked extends ResponderPorts {
  quorate: boolean
  isKnown: boolean
}

export function portsOf(words: string, services: readonly Service[], more: Partial<ResponderPorts> = {}): Asked {
  const parsed = parseDnsSetting(words)
  if (!parsed.ok || parsed.value === undefined) throw new Error(JSON.stringify(parsed))
  const setting = parsed.value
  const nodes = Array.from({ length: 300 }, (_, index) => ({
    name: `n${index}`,
    address: `10.0.${index >> 8}.${index & 255}`,
  }))
  const source = { setting, clusterName: 'west', self: 'n1', serial: 1, catalogue: { services }, nodes }
  const zone = zoneOf(source)
  const ports: Asked = {
    quorate: true,
    isKnown: true,
    setting,
    callers: callersOf(setting, ['10.0.0.1']),
    allowance: new Allowance(),
    forwarder: new Forwarder(),
    zone: () => (ports.isKnown ? zone : undefined),
    hasQuorum: () => ports.quorate,
    now: () => 0,
    ...more,
  }
  return ports
}

export interface Reply extends DecodedPacket {
  readonly code: string
  readonly aa: boolean
  readonly tc: boolean
  readonly ra: boolean
}

export function decoded(reply: Buffer): Reply {
  const packet = dnsPacket.decode(reply)
  const flags = reply.readUInt16BE(2)
  const code = (packet as unknown as { readonly rcode: string }).rcode
  return { ...packet, code, aa: (flags & 0x400) !== 0, tc: (flags & 0x200) !== 0, ra: (flags & 0x80) !== 0 }
}
