/**
 * `/etc/systole/remote.json`, which may be left out: `{"address": "10.0.0.5", "port": 3121, "members-only": true}`. Where there is none, the environment
 * counts that Pacemaker gives the daemon in a bundle's container: PCMK_remote_address, PCMK_remote_port.
 */
import { join } from 'node:path'
import { refuse } from '../../rpc/index.ts'
import { readIfThere } from '../host/files.ts'

export interface RemoteSettings {
  /** All of the host's addresses where it is left out. */
  readonly address?: string
  readonly port: number
  /** Whether hosts are dropped that are not known to be cluster nodes, instead of limited. */
  readonly membersOnly: boolean
}

export const remoteSettingsPath = (root: string): string => join(root || '/', 'etc/systole/remote.json')

const defaultPort = 3121

export function readRemoteSettings(path: string, environment: NodeJS.ProcessEnv): RemoteSettings {
  const text = readIfThere(path)
  if (text === undefined) return fromEnvironment(environment)
  const value = parseObject(text)
  if (value === undefined) throw refuse('bad-remote-settings', `${path} is not a JSON object.`)
  const { address, port = defaultPort, 'members-only': membersOnly = false, ...unknown } = value
  const [name] = Object.keys(unknown)
  if (name !== undefined)
    throw refuse(
      'bad-remote-settings',
      `${path}: '${name}' is not a setting. The settings are address, port and members-only.`,
    )
  if (!isPort(port)) throw refuse('bad-remote-settings', `${path}: port must be a whole number from 1 to 65535.`)
  if (address !== undefined && typeof address !== 'string')
    throw refuse('bad-remote-settings', `${path}: address must be a text: one of this host's addresses.`)
  if (typeof membersOnly !== 'boolean')
    throw refuse('bad-remote-settings', `${path}: members-only must be true or false.`)
  return { port, membersOnly, ...(address === undefined ? {} : { address }) }
}

function fromEnvironment({ PCMK_remote_address: address, PCMK_remote_port: port }: NodeJS.ProcessEnv): RemoteSettings {
  const number = port === undefined ? defaultPort : Number(port)
  if (!isPort(number)) throw refuse('bad-remote-settings', 'PCMK_remote_port must be a whole number from 1 to 65535.')
  return { port: number, membersOnly: false, ...(address === undefined ? {} : { address }) }
}

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
