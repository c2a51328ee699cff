/** Certificates as an administrator has them from elsewhere: made by openssl, as PEM files in a folder. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CertificateFiles {
  readonly certificate: string
  readonly key: string
}

const openssl = (...args: readonly string[]): string =>
  execFileSync('openssl', args, { stdio: 'pipe', encoding: 'utf8' })
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const filesOf = (folder: string, name: string): CertificateFiles => ({
  certificate: join(folder, `${name}.pem`),
  key: join(folder, `${name}.key`),
})

export function makeAuthority(folder: string, name: string, days = 30): CertificateFiles {
  const { certificate, key } = filesOf(folder, name)
  openssl('req', '-x509', ...curve, '-subj', `/CN=${name}`, '-days', String(days), '-keyout', key, '-out', certificate)
  return { certificate, key }
}

/** `extensions`: as openssl's configuration has them, such as `subjectAltName=DNS:n1`. */
export function makeSigned(
  folder: string,
  authority: CertificateFiles,
  made: {
    readonly name: string
    readonly subject?: string
    readonly extensions?: readonly string[]
    readonly days?: number
  },
): CertificateFiles {
  const { name, subject = `/CN=${name}`, extensions = [], days = 30 } = made
  const { certificate, key } = filesOf(folder, name)
  const [request, wanted] = [join(folder, `${name}.csr`), join(folder, `${name}.cnf`)]
  openssl('req', ...curve, '-subj', subject, '-keyout', key, '-out', request)
  writeFileSync(wanted, `${extensions.join('\n')}\n`)
  const by = ['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial']
  openssl('x509', '-req', '-in', request, ...by, '-days', String(days), '-extfile', wanted, '-out', certificate)
  return { certificate, key }
}

export const forServers = (...names: readonly string[]): readonly string[] => [
  `subjectAltName=${names.join(',')}`,
  'extendedKeyUsage=serverAuth',
]
export const forClients: readonly string[] = ['extendedKeyUsage=clientAuth']
