/**
 * The units that are installed, by their files (systemd.unit(5), "Unit File Load Path"). Whether a unit can be run is systemd's
 * to say; this answers where there is nobody to ask: for lists, metadata and commands that write a configuration.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const unitFolders = [
  '/etc/systemd/system',
  '/run/systemd/system',
  '/run/systemd/generator',
  '/usr/local/lib/systemd/system',
  '/lib/systemd/system',
  '/usr/lib/systemd/system',
  '/run/systemd/generator.late',
]

const unitKinds = /\.(service|socket|device|mount|automount|swap|target|path|timer|slice|scope)$/

/** `nginx` means `nginx.service`, as for systemctl. */
export function unitName(type: string): string {
  return unitKinds.test(type) ? type : `${type}.service`
}

/** The file of a unit; of an instance (`getty@tty1.service`) that of its template. */
export function unitFile(type: string): string | undefined {
  const name = unitName(type)
  const template = name.replace(/@[^@]*(\.[a-z]+)$/, '@$1')
  for (const file of name === template ? [name] : [name, template])
    for (const folder of unitFolders) if (existsSync(join(folder, file))) return join(folder, file)
  return undefined
}

/** The services that are installed, without `.service`, sorted; templates with their `@`. */
export function listServices(): readonly string[] {
  const names = unitFolders.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
  const services = names.filter((name) => name.endsWith('.service')).map((name) => name.slice(0, -'.service'.length))
  return [...new Set(services)].sort()
}

/** The unit's `Description=`, empty where there is none. */
export function describeUnit(path: string): string {
  return /^Description=(.*)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.trim() ?? ''
}
