/** Addresses and routes of a VRRP instance as resources: ocf:heartbeat:IPaddr2 and ocf:heartbeat:Route. */
import { isIP } from 'node:net'
import type { Fields, Notes } from './notes.ts'
import type { Statement } from './read-blocks.ts'

export interface Member {
  readonly id: string
  readonly body: Fields
  readonly place: string
}

export interface OfInstance {
  readonly name: string
  readonly interfaceName: string | undefined
  readonly repeat: string | undefined
}

const scopes = 'The agent IPaddr2 sets the scope global.'
const withoutValue: Readonly<Record<string, string | undefined>> = {
  home: 'The agent IPaddr2 has no such parameter.',
  mngtmpaddr: 'The agent IPaddr2 has no such parameter.',
  autojoin: 'The agent IPaddr2 has no such parameter.',
  use_vmac: 'The address gets the MAC address of the interface.',
  no_track: 'The address is watched, and restored when it is gone.',
}

/** `192.168.0.1/24 brd 192.168.0.255 dev eth1 label eth1:1`: a statement whose keyword is the address. */
export function addressMember(statement: Statement, of: OfInstance, notes: Notes): Member | undefined {
  const [address = '', mask, ...more] = statement.keyword.split('/')
  const family = isIP(address)
  const longest = family === 6 ? 128 : 32
  if (family === 0 || more.length > 0) {
    notes.wrong(statement, `'${statement.keyword}' is not an IP address with a prefix length.`)
    return undefined
  }
  if (mask !== undefined && !(/^\d+$/.test(mask) && Number(mask) <= longest)) {
    notes.wrong(statement, `'/${mask}' is not a prefix length from 0 to ${longest}.`)
    return undefined
  }
  const parameters: Record<string, string> = { ip: address, cidr_netmask: mask ?? String(longest) }
  let nic = of.interfaceName
  let label: string | undefined
  const words = [...statement.words]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const reason = withoutValue[word]
    if (reason !== undefined) notes.leave({ ...statement, keyword: `${address} ${word}`, words: [] }, reason)
    else if (word === '-nodad') parameters.nodad = 'true'
    else if (word === 'noprefixroute') parameters.noprefixroute = 'true'
    else {
      const value = words.shift()
      if (value === undefined) notes.wrong(statement, `'${word}' of ${address} has no value, or is not a known word.`)
      else if (word === 'dev') nic = value
      else if (word === 'brd') parameters.broadcast = value
      else if (word === 'label') label = value
      else if (word === 'preferred_lft') parameters.preferred_lft = value
      else if (word === 'scope' && value !== 'global')
        notes.leave({ ...statement, keyword: `${address} scope ${value}`, words: [] }, scopes)
      else if (word === 'peer')
        notes.leave({ ...statement, keyword: `${address} peer`, words: [] }, 'The agent IPaddr2 has no such parameter.')
      else if (word !== 'scope') notes.wrong(statement, `'${word}' is not a known word of an address.`)
    }
  }
  if (nic !== undefined) parameters.nic = nic
  if (label !== undefined && nic !== undefined && label.startsWith(`${nic}:`))
    parameters.iflabel = label.slice(nic.length + 1)
  else if (label !== undefined)
    notes.leave(
      { ...statement, keyword: `${address} label ${label}`, words: [] },
      'A label must begin with the interface and a colon.',
    )
  if (of.repeat !== undefined) parameters.arp_count = of.repeat
  return {
    id: partId(of.name, address),
    place: statement.place,
    body: { agent: 'ocf:heartbeat:IPaddr2', parameters, operations: [{ name: 'monitor', interval: '10s' }] },
  }
}

const routeWords: Readonly<Record<string, string>> = {
  src: 'source',
  via: 'gateway',
  gw: 'gateway',
  dev: 'device',
  table: 'table',
}

/** `[src A] [to] B/24 via C dev eth1 table 100`; a route with anything else has no counterpart. */
export function routeMember(statement: Statement, of: OfInstance, notes: Notes): Member | undefined {
  const parameters: Record<string, string> = {}
  const words = [statement.keyword, ...statement.words]
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const name = routeWords[word]
    const value = name === undefined ? word : words.shift()
    if (name !== undefined && value !== undefined) parameters[name] = value
    else if (word === 'no_track' || word === 'to') continue
    else if (parameters.destination === undefined && (word === 'default' || isIP(word.split('/')[0] ?? '') !== 0))
      parameters.destination = word
    else {
      const what = { ...statement, keyword: ['route', statement.keyword, ...statement.words].join(' '), words: [] }
      notes.leave(what, `The agent Route has nothing for '${word}'. Create a resource with an agent of your own.`)
      return undefined
    }
  }
  const { destination } = parameters
  if (destination === undefined) {
    notes.wrong(statement, 'A route needs a destination.')
    return undefined
  }
  if (parameters.device === undefined && parameters.gateway === undefined && of.interfaceName !== undefined)
    parameters.device = of.interfaceName
  if (destination.includes(':')) parameters.family = 'ip6'
  return {
    id: partId(of.name, `route-${destination}`),
    place: statement.place,
    body: { agent: 'ocf:heartbeat:Route', parameters, operations: [{ name: 'monitor', interval: '10s' }] },
  }
}

/** An id of the CIB begins with a letter and has no colon. */
export function idOf(name: string): string {
  const id = name.replaceAll(/[^\w.-]/g, '-')
  return /^[A-Za-z_]/.test(id) ? id : `vrrp-${id}`
}

const partId = (name: string, part: string): string => `${idOf(name)}-${part.replaceAll(/[^\w.-]/g, '-')}`
