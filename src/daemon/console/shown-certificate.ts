/**
 * A certificate of the administrator's own that the HTTPS API shows instead of the cluster's. This host has a copy of it with its key; the files that it came
 * from are looked at for a newer one, so that whatever renews it there has nothing else to do. A newer one that is wrong changes nothing, and is warned of.
 */
import { realpathSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { maxLength, object, optional, parse, pipe, string } from 'valibot'
import { RefusedError, refuse } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'
import type { Log } from '../host/log.ts'
import {
  certificatesIn,
  checkServerCertificate,
  factsOf,
  namesNobody,
  type ShownFacts,
  warningsOn,
} from './certificate-checks.ts'

export interface ShownCertificatePorts {
  readonly file: string
  readonly log: Log
  readonly own: () => { readonly name: string; readonly addresses: readonly string[] } | undefined
  readonly onChange: () => void
}

const pathForm = pipe(string(), maxLength(4096))
const form = object({
  certificate: string(),
  key: string(),
  files: optional(object({ certificate: pathForm, key: pathForm })),
})

interface Kept {
  readonly certificate: string
  readonly key: string
  readonly files?: { readonly certificate: string; readonly key: string } | undefined
}

interface Shown extends Kept {
  readonly facts: ShownFacts
}

const lookMs = 5000

export class ShownCertificate {
  readonly #ports: ShownCertificatePorts
  #shown: Shown | undefined
  #trouble: string | undefined
  #seen = ''
  #timer: NodeJS.Timeout | undefined

  constructor(ports: ShownCertificatePorts) {
    this.#ports = ports
    this.#load()
  }

  /** Undefined: the cluster's own is shown. */
  get identity(): { readonly certificate: string; readonly key: string } | undefined {
    return this.#shown && { certificate: this.#shown.certificate, key: this.#shown.key }
  }

  get facts(): (ShownFacts & { readonly files: readonly string[] }) | undefined {
    return this.#shown && { ...this.#shown.facts, files: Object.values(this.#shown.files ?? {}) }
  }

  warnings(now: number): readonly string[] {
    const shown = this.#shown
    const own = this.#ports.own()
    const ofNames = shown && own && namesNobody(shown.facts.names, own)
    return [
      ...(this.#trouble === undefined ? [] : [this.#trouble]),
      ...(shown === undefined ? [] : warningsOn(shown.facts, now)),
      ...(ofNames === undefined ? [] : [ofNames]),
    ]
  }

  /** `files` are looked at again where they are root's alone. */
  set({ files, ...given }: Kept): void {
    const facts = checkServerCertificate(given, Date.now())
    const isFollowed = files !== undefined && Object.values(files).every((path) => othersPlace(path) === undefined)
    this.#keep({ ...given, ...(isFollowed && { files }) }, facts)
  }

  unset(): void {
    rmSync(this.#ports.file, { force: true })
    this.#shown = undefined
    this.#trouble = undefined
    this.#ports.log.info('the HTTPS API shows a certificate of the cluster again', {})
    this.#follow()
    this.#ports.onChange()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #keep({ certificate, key, files }: Kept, facts: ShownFacts): void {
    const kept: Kept = { certificate, key, ...(files === undefined ? {} : { files }) }
    writeWhole(this.#ports.file, `${JSON.stringify(kept)}\n`, 0o600)
    this.#shown = { ...kept, facts }
    this.#trouble = undefined
    this.#seen = ''
    const { subject, validUntil } = facts
    this.#ports.log.info('the HTTPS API shows another certificate', {
      subject,
      validUntil: new Date(validUntil).toISOString(),
    })
    this.#follow()
    this.#ports.onChange()
  }

  #load(): void {
    const text = readIfThere(this.#ports.file)
    if (text === undefined) return
    try {
      const kept = parse(form, JSON.parse(text))
      const [own] = certificatesIn(kept.certificate, this.#ports.file)
      // One that has expired meanwhile is shown on: clients who named it would trust no other.
      if (own !== undefined) this.#shown = { ...kept, facts: factsOf(own) }
    } catch {
      this.#trouble = `${this.#ports.file} cannot be read, so the HTTPS API shows a certificate of the cluster. Run \`systole console certificate set\` again.`
    }
    this.#follow()
  }

  #follow(): void {
    this.close()
    if (this.#shown?.files === undefined) return
    this.#timer = setInterval(() => this.#look(), lookMs)
    this.#timer.unref()
  }

  #look(): void {
    const shown = this.#shown
    if (shown?.files === undefined) return
    const { files } = shown
    try {
      const marks = Object.values(files).map(markOf)
      if (marks.join() === this.#seen) return
      this.#seen = marks.join()
      for (const path of Object.values(files)) refuseOthersPlace(path)
      const certificate = readIfThere(files.certificate) ?? ''
      const key = readIfThere(files.key) ?? ''
      if (certificate === shown.certificate && key === shown.key) this.#trouble = undefined
      else this.#keep({ certificate, key, files }, checkServerCertificate({ certificate, key }, Date.now()))
    } catch (error) {
      const why =
        error instanceof RefusedError ? error.sentences.join(' ') : `${error instanceof Error ? error.message : error}.`
      const trouble = `The certificate of the HTTPS API is not replaced by that in ${files.certificate}: ${why}`
      if (trouble !== this.#trouble) this.#ports.log.warn('the certificate of the HTTPS API was not replaced', { why })
      this.#trouble = trouble
    }
  }
}

const markOf = (path: string): string => {
  const { ino, size, mtimeMs } = statSync(path)
  return `${ino} ${size} ${mtimeMs}`
}

/** Whoever else can write there would choose what this node shows. Undefined: nobody but root can. */
function othersPlace(path: string): string | undefined {
  const whole = realpathSync(path)
  return [dirname(path), dirname(whole), whole].find((at) => {
    const { uid, mode } = statSync(at)
    const isSticky = at !== whole && uid === 0 && (mode & 0o1000) !== 0
    return !isSticky && (uid !== (process.getuid?.() ?? 0) || (mode & 0o022) !== 0)
  })
}

function refuseOthersPlace(path: string): void {
  const at = othersPlace(path)
  if (at !== undefined)
    throw refuse(
      'not-roots-file',
      `${at} belongs to another user than root, or others can write there. Move the files to where root alone can write.`,
    )
}
