/**
 * Users of this host by their number: name and groups. The files in /etc are read first; what they do not know is asked of `getent` and `id`, which
 * also know directories (NSS). What was found is believed for a few seconds.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface HostUser {
  readonly name: string
  readonly groups: readonly string[]
  /** Whatever the name is. */
  readonly isRoot?: true
}

/** By name or by number: which field of /etc/passwd. */
interface Wanted {
  readonly field: 0 | 2
  readonly value: string
}

/** Somebody who was taken out of a group loses what it gives after that. */
const believedMs = 5000
const askTimeoutMs = 5000
const run = promisify(execFile)

export class HostUsers {
  readonly #etc: string
  readonly #known = new Map<number | string, { readonly user: Promise<HostUser | undefined>; readonly until: number }>()

  constructor(etc = '/etc') {
    this.#etc = etc
  }

  /** Undefined where nobody has the number. */
  async byId(uid: number): Promise<HostUser | undefined> {
    return await this.#believed(uid, { field: 2, value: String(uid) })
  }

  async byName(name: string): Promise<HostUser | undefined> {
    return await this.#look({ field: 0, value: name })
  }

  /** The same, believed for as long as one by number: for whoever calls many times a minute. */
  async knownByName(name: string): Promise<HostUser | undefined> {
    return await this.#believed(name, { field: 0, value: name })
  }

  async #believed(key: number | string, wanted: Wanted): Promise<HostUser | undefined> {
    const now = performance.now()
    const known = this.#known.get(key)
    if (known !== undefined && known.until > now) return await known.user
    for (const [other, { until }] of this.#known) if (until <= now) this.#known.delete(other)
    const user = this.#look(wanted)
    this.#known.set(key, { user, until: now + believedMs })
    return await user
  }

  async #look(wanted: Wanted): Promise<HostUser | undefined> {
    const known = (await this.#lines('passwd')).find((fields) => fields[wanted.field] === wanted.value)
    const [name, , uid, gid] = known ?? (await entryByGetent(wanted)) ?? []
    if (name === undefined || name === '') return undefined
    return { name, groups: await this.#groupsOf(name, gid ?? ''), ...(Number(uid) === 0 && { isRoot: true }) }
  }

  async #groupsOf(name: string, gid: string): Promise<readonly string[]> {
    const groups = await this.#lines('group')
    const own = groups.filter(([, , id, members = '']) => id === gid || members.split(',').includes(name))
    const listed = own.map(([group = '']) => group)
    return (await this.#knowsDirectories()) ? [...new Set([...listed, ...(await groupsById(name))])] : listed
  }

  async #lines(file: string): Promise<readonly (readonly string[])[]> {
    const text = await readFile(`${this.#etc}/${file}`, 'utf8').catch(() => '')
    return text.split('\n').map((line) => line.split(':'))
  }

  /** Groups come from somewhere else than the file, too. */
  async #knowsDirectories(): Promise<boolean> {
    const text = await readFile(`${this.#etc}/nsswitch.conf`, 'utf8').catch(() => '')
    const sources = /^\s*(?:group|initgroups):(.*)$/m.exec(text)?.[1]?.split(/\s+|\[[^\]]*\]/) ?? []
    return sources.some((source) => !['', 'files', 'compat', 'systemd'].includes(source))
  }
}

async function entryByGetent(wanted: Wanted): Promise<readonly string[] | undefined> {
  const text = await answerOf('getent', ['passwd', '--', wanted.value])
  const fields = text.split('\n')[0]?.split(':')
  return fields !== undefined && fields[wanted.field] === wanted.value ? fields : undefined
}

async function groupsById(name: string): Promise<readonly string[]> {
  // Separated by zero bytes: names of a directory may have blanks.
  return (await answerOf('id', ['-Gnz', '--', name])).split('\0').filter((group) => group !== '')
}

async function answerOf(program: string, words: readonly string[]): Promise<string> {
  // Neither knows nobody, which is what both say by their exit code; a directory that does not answer knows nobody either.
  return await run(program, [...words], { timeout: askTimeoutMs }).then(
    ({ stdout }) => stdout,
    () => '',
  )
}
