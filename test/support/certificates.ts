/** A throw-away certificate authority for tests: one authority, one certificate for servers and clients alike. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CertificatePaths {
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

export function makeCertificates(directory: string, name = 'node', address = '127.0.0.1'): CertificatePaths {
  const path = (file: string) => join(directory, `${name}-${file}`)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...curve,
    '-subj',
    `/CN=${name} authority`,
    '-days',
    '2',
    '-keyout',
    path('ca.key'),
    '-out',
    path('ca.pem'),
  )
  openssl('req', ...curve, '-subj', `/CN=${name}`, '-keyout', path('key.pem'), '-out', path('request.pem'))
  writeFileSync(path('extensions'), `subjectAltName=IP:${address}\nextendedKeyUsage=serverAuth,clientAuth\n`)
  openssl(
    ...['x509', '-req', '-in', path('request.pem'), '-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-CAcreateserial'],
    ...['-days', '2', '-extfile', path('extensions'), '-out', path('certificate.pem')],
  )
  return { ca: path('ca.pem'), certificate: path('certificate.pem'), key: path('key.pem') }
}
