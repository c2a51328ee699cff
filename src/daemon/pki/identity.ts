/** The node's certificates on disk: `pki/authority.crt` and `.key`, `pki/node.crt` and `.key`. */

import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OutsideError } from '../../base/index.ts'
import type { EnrolmentAnswer, KeyPair, TlsIdentity } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'

export interface PkiFiles {
  readonly authority: string
  readonly authorityKey: string
  readonly certificate: string
  readonly key: string
  /** One that was made for a certificate that is about to be written. */
  readonly nextKey: string
}

export function pkiFiles(folder: string): PkiFiles {
  return {
    authority: join(folder, 'authority.crt'),
    authorityKey: join(folder, 'authority.key'),
    certificate: join(folder, 'node.crt'),
    key: join(folder, 'node.key'),
    nextKey: join(folder, 'node.key.next'),
  }
}

export function writeIdentity(folder: string, authority: KeyPair, node: KeyPair): void {
  const files = pkiFiles(folder)
  writeWhole(files.authorityKey, authority.key, 0o600)
  writeRemoteIdentity(folder, { authority: authority.certificate, ...node })
}

/** Of a node that was let in. An older version still gives the authority's key with it, and counts on its being there. */
export function writeJoined(folder: string, authority: EnrolmentAnswer['authority'], node: KeyPair): void {
  const { certificate, key } = authority
  if (key === undefined) writeRemoteIdentity(folder, { authority: certificate, ...node })
  else writeIdentity(folder, { certificate, key }, node)
}

/** For the key that the node has. */
export function writeCertificate(folder: string, certificate: string): void {
  writeWhole(pkiFiles(folder).certificate, certificate)
}

/** Without a key of the authority. */
export function writeRemoteIdentity(folder: string, { authority, certificate, key }: TlsIdentity): void {
  const files = pkiFiles(folder)
  writeWhole(files.authority, authority)
  // The daemon may end after any of these: `readIdentity` finishes what was begun.
  writeWhole(files.nextKey, key, 0o600)
  writeWhole(files.certificate, certificate)
  renameSync(files.nextKey, files.key)
}

function finishWriting({ certificate, key, nextKey }: PkiFiles): void {
  const next = readIfThere(nextKey)
  const text = readIfThere(certificate)
  if (next === undefined || text === undefined) return
  try {
    if (new X509Certificate(text).checkPrivateKey(createPrivateKey(next))) renameSync(nextKey, key)
  } catch {
    // Damaged: what is read next tells it.
  }
}

/** A certificate or key that is not there, or that a power cut or a person has damaged. */
export class UnusableIdentityError extends OutsideError {
  override readonly name = 'UnusableIdentityError'
  constructor(file: string, why: string) {
    const remedy =
      'Restore it from a backup. Without one, remove this node on another one (`systole cluster node remove`), delete cluster.json and pki here, restart systoled and add the node again; a remote node gets others by `systoled --remote --join`.'
    super(`${file} cannot be used: ${why}. ${remedy}`)
  }
}

/** It is read after every change of the store: what has not changed is not checked again, which takes longer than all else that a change costs. */
let lastRead: { readonly folder: string; readonly identity: TlsIdentity } | undefined

export function readIdentity(folder: string): TlsIdentity {
  const files = pkiFiles(folder)
  finishWriting(files)
  const identity = {
    authority: readPart(files.authority),
    certificate: readPart(files.certificate),
    key: readPart(files.key),
  }
  if (lastRead?.folder === folder && isSame(lastRead.identity, identity)) return lastRead.identity
  checkIdentity(files, identity)
  lastRead = { folder, identity }
  return identity
}

const isSame = (one: TlsIdentity, other: TlsIdentity): boolean =>
  one.authority === other.authority && one.certificate === other.certificate && one.key === other.key

function checkIdentity(files: PkiFiles, identity: TlsIdentity): void {
  check(files.authority, () => new X509Certificate(identity.authority))
  const certificate = check(files.certificate, () => new X509Certificate(identity.certificate))
  const key = check(files.key, () => createPrivateKey(identity.key))
  if (!certificate.checkPrivateKey(key))
    throw new UnusableIdentityError(files.key, `it does not belong to ${files.certificate}`)
}

/** While the authority is replaced two are believed, and the first one signs. */
export const authoritiesIn = (bundle: string): readonly string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [bundle]

/** The file that etcd reads when it starts: another one for other authorities, so that it shows with which it was started. */
export function trustFile(folder: string): string {
  const { authority } = pkiFiles(folder)
  const text = readIfThere(authority)
  const own = text === undefined ? authority : namedByContent(folder, text)
  return existsSync(own) ? own : authority
}

const namedByContent = (folder: string, bundle: string): string =>
  join(folder, `trust-${createHash('sha256').update(bundle).digest('hex').slice(0, 16)}.crt`)

/** The file before stays: etcd runs with it until it is started anew, and may have to be started before that. */
export function writeTrust(folder: string, bundle: string): void {
  const before = trustFile(folder)
  const own = namedByContent(folder, bundle)
  writeWhole(own, bundle)
  writeWhole(pkiFiles(folder).authority, bundle)
  deleteTrust(folder, [before, own])
}

/** Once the member of the store runs with the file of now. */
export const dropOldTrust = (folder: string): void => deleteTrust(folder, [trustFile(folder)])

function deleteTrust(folder: string, kept: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (/^trust-[0-9a-f]{16}\.crt$/.test(name) && !kept.includes(path)) rmSync(path, { force: true })
  }
}

/** The authority's, as it is on the host that founds a cluster, until another one has joined. */
export const readWholeKey = (folder: string): string | undefined => readIfThere(pkiFiles(folder).authorityKey)

export const writeWholeKey = (folder: string, key: string): void =>
  writeWhole(pkiFiles(folder).authorityKey, key, 0o600)

/** Of a member that has its share instead. What was in the file is overwritten first: it may stay in the disk's blocks. */
export function forgetWholeKey(folder: string): void {
  const { authorityKey } = pkiFiles(folder)
  const text = readIfThere(authorityKey)
  if (text === undefined) return
  const file = openSync(authorityKey, 'r+')
  try {
    writeSync(file, ' '.repeat(text.length), 0)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  rmSync(authorityKey)
}

function readPart(file: string): string {
  const text = readIfThere(file)
  if (text === undefined) throw new UnusableIdentityError(file, 'it is missing')
  return text
}

function check<Part>(file: string, read: () => Part): Part {
  try {
    return read()
  } catch {
    // OpenSSL's words for it name its own functions.
    throw new UnusableIdentityError(file, 'it is damaged')
  }
}
