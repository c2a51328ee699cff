/** `/etc/systole/remote.json`, which may be left out: `{"address": "10.0.0.5", "port": 3121}`. */
import { join } from 'node:path'
import { refuse } from '../../rpc/index.ts'
import { readIfThere } from '../host/files.ts'

export interface RemoteSettings {
  /** All of the host's addresses where it is left out. */
  readonly address?: string
  readonly port: number
}

export const remoteSettingsPath = (root: string): string => join(root || '/', 'etc/systole/remote.json')

const defaultPort = 3121

export function readRemoteSettings(path: string): RemoteSettings {
  const text = readIfThere(path)
  if (text === undefined) return { port: defaultPort }
  const value = parseObject(text)
  if (value === undefined) throw refuse('bad-remote-settings', `${path} is no JSON object.`)
  const { address, port = defaultPort, ...unknown } = value
  const [name] = Object.keys(unknown)
  if (name !== undefined)
    throw refuse('bad-remote-settings', `${path}: '${name}' is no setting: there are address and port.`)
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw refuse('bad-remote-settings', `${path}: port must be a whole number from 1 to 65535.`)
  if (address !== undefined && typeof address !== 'string')
    throw refuse('bad-remote-settings', `${path}: address must be a text: one of this host's addresses.`)
  return { port, ...(address === undefined ? {} : { address }) }
}

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
