/** Calls an alert agent as the daemon does: with an environment that begins from nothing. */
import { execFileSync, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'

const agents = resolve(import.meta.dirname, '../../agents/alerts')

export interface Ended {
  readonly code: number | null
  readonly said: string
}

const failedMonitor: Readonly<Record<string, string>> = {
  CRM_alert_kind: 'resource',
  CRM_alert_node: 'n1',
  CRM_alert_rsc: 'web',
  CRM_alert_task: 'monitor',
  CRM_alert_interval: '10000',
  CRM_alert_desc: 'not running',
  CRM_alert_rc: '7',
  CRM_alert_target_rc: '0',
  CRM_alert_status: '0',
  CRM_alert_timestamp_epoch: '1790000000',
  CRM_alert_timestamp_usec: '250000',
  SYSTOLE_ALERT_ID: '1790000000250/resource/n1/web/monitor/10000',
  SYSTOLE_ALERT_CLUSTER: 'lab',
}

export const lostNode: Readonly<Record<string, string>> = {
  CRM_alert_kind: 'node',
  CRM_alert_node: 'n2',
  CRM_alert_desc: 'lost',
  CRM_alert_rsc: '',
  CRM_alert_task: '',
  CRM_alert_interval: '',
  CRM_alert_rc: '',
  CRM_alert_target_rc: '',
  CRM_alert_status: '',
  SYSTOLE_ALERT_ID: '1790000000250/node/n2/lost',
}

export async function callAgent(
  name: string,
  recipient: string,
  options: Readonly<Record<string, string>> = {},
  timeoutMs = 20_000,
): Promise<Ended> {
  const child = spawn(join(agents, name), {
    env: {
      PATH: process.env.PATH,
      SYSTOLE_NODE: process.execPath,
      SYSTOLE_ALERT_TIMEOUT_MS: String(timeoutMs),
      CRM_alert_recipient: recipient,
      ...failedMonitor,
      ...options,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const code = await new Promise<number | null>((done) => child.on('close', done))
  return { code, said: said.trim() }
}

/** A key and a certificate for this machine that nobody else trusts. */
export function makeCertificate(folder: string): { readonly key: string; readonly cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'].concat(
      ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
      ['-keyout', key, '-out', cert],
    ),
    { stdio: 'ignore' },
  )
  return { key, cert }
}
