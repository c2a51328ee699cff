/**
 * systemd's manager over D-Bus (org.freedesktop.systemd1(5)): the calls that we need, and word of units that change. One
 * connection, opened at the first call and again after it was lost; what is lost with it is asked anew by whoever waits.
 */
import { EventEmitter } from 'node:events'
import { type Message, type MessageBus, Message as NewMessage, sessionBus, type Variant } from '@jellybrick/dbus-next'
import { unitName } from '../unit-files.ts'
import type { UnitState } from './unit-state.ts'

export class SystemBusError extends Error {
  override readonly name = 'SystemBusError'
  /** D-Bus's name of the error, such as `org.freedesktop.systemd1.NoSuchUnit`. */
  readonly type: string | undefined
  constructor(doing: string, cause: unknown) {
    super(`systemd did not ${doing}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.type = cause instanceof Error && 'type' in cause && typeof cause.type === 'string' ? cause.type : undefined
  }
}

const manager = 'org.freedesktop.systemd1'
const managerPath = '/org/freedesktop/systemd1'
const callTimeoutMs = 25_000

interface Connection {
  readonly bus: MessageBus
  /** Rejects when the connection is lost. */
  readonly lost: Promise<never>
}

export class SystemBus {
  readonly #address: string
  readonly #changed: (unitPath: string) => void
  #bus: Promise<Connection> | undefined

  /** `changed` is told the object path of each unit whose properties have changed since it was first asked about. */
  constructor(address: string, changed: (unitPath: string) => void) {
    this.#address = address
    this.#changed = changed
  }

  close(): void {
    const bus = this.#bus
    this.#bus = undefined
    void bus?.then(
      (open) => open.bus.disconnect(),
      () => undefined,
    )
  }

  /** The unit's object path; systemd loads its file if need be. */
  async loadUnit(type: string): Promise<string> {
    const unit = unitName(type)
    return text(await this.#manager(`load ${unit}`, 'LoadUnit', 's', [unit]))
  }

  async unitState(path: string): Promise<UnitState> {
    const properties = await this.#properties(path, `${manager}.Unit`)
    const job = properties.Job?.value
    const isService = path.endsWith('_2eservice')
    const result = isService ? (await this.#property(path, `${manager}.Service`, 'Result'))?.value : undefined
    return {
      load: String(properties.LoadState?.value),
      active: String(properties.ActiveState?.value),
      sub: String(properties.SubState?.value),
      busy: Array.isArray(job) && job[0] !== 0,
      conditionsMet: properties.ConditionResult?.value !== false || properties.ConditionTimestamp?.value === 0n,
      ...(typeof result === 'string' ? { result } : {}),
    }
  }

  /** Keeps systemd from forgetting a unit that is not active, and with it how its start went. */
  async keepUnit(unit: string): Promise<void> {
    await this.#manager(`keep ${unit}`, 'RefUnit', 's', [unit])
  }

  async releaseUnit(unit: string): Promise<void> {
    await this.#manager(`release ${unit}`, 'UnrefUnit', 's', [unit])
  }

  /** Queues the job and answers; `replace` takes the place of a job that contradicts it. */
  async startUnit(unit: string): Promise<void> {
    await this.#manager(`start ${unit}`, 'StartUnit', 'ss', [unit, 'replace'])
  }

  async stopUnit(unit: string): Promise<void> {
    await this.#manager(`stop ${unit}`, 'StopUnit', 'ss', [unit, 'replace'])
  }

  async reload(): Promise<void> {
    await this.#manager('read its unit files again', 'Reload')
  }

  #manager(doing: string, member: string, signature = '', body: unknown[] = []): Promise<Message> {
    return this.#call(doing, { path: managerPath, interface: `${manager}.Manager`, member, signature, body })
  }

  async #properties(path: string, of: string): Promise<Readonly<Record<string, Variant>>> {
    const message = { path, interface: 'org.freedesktop.DBus.Properties', member: 'GetAll', signature: 's', body: [of] }
    const [properties] = (await this.#call(`report the state of ${path}`, message)).body
    return properties as Readonly<Record<string, Variant>>
  }

  async #property(path: string, of: string, name: string): Promise<Variant | undefined> {
    const message = {
      path,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [of, name],
    }
    const [value] = (await this.#call(`report ${name} of ${path}`, message)).body
    return value as Variant | undefined
  }

  async #call(doing: string, message: MessageToSystemd): Promise<Message> {
    let timer: NodeJS.Timeout | undefined
    try {
      this.#bus ??= this.#open()
      const { bus, lost } = await this.#bus
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${callTimeoutMs / 1000}s`)), callTimeoutMs)
      })
      const answer = await Promise.race([bus.call(new NewMessage({ destination: manager, ...message })), late, lost])
      if (answer === null) throw new Error('there was no answer')
      return answer
    } catch (error) {
      const failure = new SystemBusError(doing, error)
      // An answer of systemd's has a type; everything else is trouble with the connection.
      if (failure.type === undefined) this.close()
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  async #open(): Promise<Connection> {
    // The library's name for "the bus at this address".
    const bus = sessionBus({ busAddress: this.#address })
    const lost = whenLost(bus)
    // Nobody may be waiting when it happens.
    lost.catch(() => this.close())
    await Promise.race([new Promise<void>((resolve) => bus.once('connect', resolve)), lost])
    bus.on('message', (message) => {
      if (message.member === 'PropertiesChanged') this.#changed(message.path)
    })
    const matches = `type='signal',sender='${manager}',member='PropertiesChanged',path_namespace='${managerPath}/unit'`
    const daemon = 'org.freedesktop.DBus'
    const addMatch = { destination: daemon, path: '/org/freedesktop/DBus', interface: daemon, member: 'AddMatch' }
    await bus.call(new NewMessage({ ...addMatch, signature: 's', body: [matches] }))
    const subscribe = { destination: manager, path: managerPath, interface: `${manager}.Manager`, member: 'Subscribe' }
    await bus.call(new NewMessage(subscribe))
    return { bus, lost }
  }
}

type MessageToSystemd = Omit<ConstructorParameters<typeof NewMessage>[0], 'destination'>

/** The library tells of errors, which its types leave out; of an end only its inner connection tells. */
function whenLost(bus: MessageBus): Promise<never> {
  return new Promise((_, reject) => {
    const events: EventEmitter = bus
    events.on('error', reject)
    const inner: unknown = '_connection' in bus ? bus._connection : undefined
    if (inner instanceof EventEmitter) inner.once('end', () => reject(new Error('the bus closed the connection')))
  })
}

function text(message: Message): string {
  return String(message.body[0])
}
