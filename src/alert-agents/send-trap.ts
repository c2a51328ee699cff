/** `alert_snmp`: PACEMAKER-MIB's notification, so that what receives traps from Pacemaker understands these. */
import { uptime } from 'node:os'
import snmp from 'net-snmp'
import { type Delivery, Undelivered } from './delivery.ts'
import { type Notice, oneLineOf } from './notice.ts'
import type { SnmpSettings } from './snmp-options.ts'

const pacemaker = '1.3.6.1.4.1.32723'
const trapOid = `${pacemaker}.2.1`
/** What an event has no value for: as the sample of Pacemaker sends it. */
const noText = 'n/a'
const noNumber = 2_147_483_647

/** In the order of the MIB, with its longest lengths. */
const objects: readonly { readonly name: string; readonly longest?: number }[] = [
  { name: 'node', longest: 64 },
  { name: 'rsc', longest: 256 },
  { name: 'task', longest: 64 },
  { name: 'desc', longest: 256 },
  { name: 'status' },
  { name: 'rc' },
  { name: 'target_rc' },
  { name: 'attribute_name', longest: 256 },
  { name: 'attribute_value', longest: 256 },
]

/** Whether the options want this event. */
export function isWanted({ options }: SnmpSettings, { kind, values }: Notice): boolean {
  const has = (list: 'all' | readonly string[], word = ''): boolean => list === 'all' || list.includes(word)
  switch (kind) {
    case 'node':
      return has(options.trap_node_states, values.desc)
    case 'fencing':
      return has(options.trap_fencing_tasks, values.task)
    case 'resource': {
      const isExpected = values.task === 'monitor' && values.rc === values.target_rc && values.status === '0'
      return has(options.trap_resource_tasks, values.task) && (!isExpected || options.trap_monitor_success)
    }
    default:
      return true
  }
}

export async function sendTrap(settings: SnmpSettings, notice: Notice, { withinMs }: Delivery): Promise<void> {
  const { options, recipient } = settings
  if (recipient === undefined || !isWanted(settings, notice)) return
  const session = openSession(settings, withinMs)
  const sent = { upTime: Math.floor(uptime() * 100) % 2 ** 32 }
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${withinMs / 1000} s`)), withinMs)
      const over = (error: Error | null): void => {
        clearTimeout(timer)
        if (error === null || error === undefined) resolve()
        else reject(error)
      }
      session.on('error', over)
      if (options.trap_inform) session.inform(trapOid, varbindsOf(notice), sent, over)
      else session.trap(trapOid, varbindsOf(notice), sent, over)
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Undelivered(`${recipient.host}:${recipient.port}: ${why}`, true)
  } finally {
    session.close()
  }
}

function openSession({ options, recipient }: SnmpSettings, withinMs: number): snmp.Session {
  const { host = '', port = 162 } = recipient ?? {}
  const common = {
    trapPort: port,
    port,
    transport: host.includes(':') ? ('udp6' as const) : ('udp4' as const),
    // Three attempts within the time; more come later.
    retries: 2,
    timeout: Math.floor(withinMs / 4),
    backoff: 1,
  }
  if (options.trap_version === '2c')
    return snmp.createSession(host, options.trap_community, { ...common, version: snmp.Version2c })
  return snmp.createV3Session(host, userOf(options), {
    ...common,
    version: snmp.Version3,
    ...(options.trap_engine_id === undefined ? {} : { engineID: options.trap_engine_id }),
  })
}

function userOf(options: SnmpSettings['options']): snmp.User {
  const { trap_user: name = '', trap_auth_password: authKey, trap_priv_password: privKey } = options
  if (authKey === undefined) return { name, level: snmp.SecurityLevel.noAuthNoPriv }
  const authProtocol = snmp.AuthProtocols[options.trap_auth_protocol]
  if (privKey === undefined) return { name, level: snmp.SecurityLevel.authNoPriv, authProtocol, authKey }
  const privProtocol = snmp.PrivProtocols[options.trap_priv_protocol]
  return { name, level: snmp.SecurityLevel.authPriv, authProtocol, authKey, privProtocol, privKey }
}

const varbindsOf = ({ values }: Notice): snmp.Varbind[] =>
  objects.map(({ name, longest }, index) => {
    const oid = `${pacemaker}.1.${index + 1}`
    const value = values[name] ?? ''
    if (longest === undefined) return { oid, type: snmp.ObjectType.Integer32, value: numberOf(value) }
    return { oid, type: snmp.ObjectType.OctetString, value: textOf(value, longest) }
  })

function numberOf(text: string): number {
  const number = text === '' ? Number.NaN : Number(text)
  return Number.isInteger(number) && Math.abs(number) <= noNumber ? number : noNumber
}

/** At most so many bytes of UTF-8, and whole letters. */
function textOf(value: string, longest: number): string {
  if (value === '') return noText
  let text = oneLineOf(value).slice(0, longest)
  while (Buffer.byteLength(text) > longest) text = text.slice(0, -1)
  return text
}
