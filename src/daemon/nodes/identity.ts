/** The node's certificates on disk: `pki/authority.crt` and `.key`, `pki/node.crt` and `.key`. */
import { join } from 'node:path'
import type { KeyPair, TlsIdentity } from '../../rpc/index.ts'
import { readIfThere, writeWhole } from '../host/files.ts'

export interface PkiFiles {
  readonly authority: string
  readonly authorityKey: string
  readonly certificate: string
  readonly key: string
}

export function pkiFiles(folder: string): PkiFiles {
  return {
    authority: join(folder, 'authority.crt'),
    authorityKey: join(folder, 'authority.key'),
    certificate: join(folder, 'node.crt'),
    key: join(folder, 'node.key'),
  }
}

export function writeIdentity(folder: string, authority: KeyPair, node: KeyPair): void {
  const files = pkiFiles(folder)
  writeWhole(files.authority, authority.certificate)
  writeWhole(files.authorityKey, authority.key, 0o600)
  writeWhole(files.certificate, node.certificate)
  writeWhole(files.key, node.key, 0o600)
}

/** For the key that the node has. */
export function writeCertificate(folder: string, certificate: string): void {
  writeWhole(pkiFiles(folder).certificate, certificate)
}

/** A remote node has no key of the authority. */
export function writeRemoteIdentity(folder: string, { authority, certificate, key }: TlsIdentity): void {
  const files = pkiFiles(folder)
  writeWhole(files.authority, authority)
  writeWhole(files.certificate, certificate)
  writeWhole(files.key, key, 0o600)
}

export class MissingIdentityError extends Error {
  override readonly name = 'MissingIdentityError'
  constructor(folder: string) {
    super(
      `${folder} lacks certificates: run \`systole cluster join\` with --force again; on a remote node, \`systoled --remote --join\`.`,
    )
  }
}

export function readIdentity(folder: string): TlsIdentity {
  const files = pkiFiles(folder)
  const authority = readIfThere(files.authority)
  const certificate = readIfThere(files.certificate)
  const key = readIfThere(files.key)
  if (authority === undefined || certificate === undefined || key === undefined) throw new MissingIdentityError(folder)
  return { authority, certificate, key }
}

export function readAuthority(folder: string): KeyPair {
  const files = pkiFiles(folder)
  const certificate = readIfThere(files.authority)
  const key = readIfThere(files.authorityKey)
  if (certificate === undefined || key === undefined) throw new MissingIdentityError(folder)
  return { certificate, key }
}
