/** The bill of materials, from npm's own command: the packages of others that are in what is installed, and Node.js. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import lock from '../../package-lock.json' with { type: 'json' }
import type { Release } from './contents.ts'
import { isDistributed } from './distributed.ts'
import { nodeVersion } from './node-build.ts'

interface Bom {
  serialNumber?: string
  metadata: { timestamp?: string; component: { version: string } }
  components: object[]
}

/** CycloneDX. Two builds of one source have the same: no number of this run, and the time of the release. */
export function billOfMaterials({ version, epoch, withNode }: Release): string {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'], {
    cwd: resolve(import.meta.dirname, '../..'),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const bom = JSON.parse(text) as Bom
  delete bom.serialNumber
  bom.metadata.timestamp = new Date(epoch * 1000).toISOString()
  bom.metadata.component.version = version
  bom.components.push(...inTheSite())
  if (withNode)
    bom.components.push({
      'bom-ref': `node@${nodeVersion}`,
      type: 'platform',
      name: 'node',
      version: nodeVersion,
      purl: `pkg:generic/node@${nodeVersion}`,
      cpe: `cpe:2.3:a:nodejs:node.js:${nodeVersion}:*:*:*:lts:*:*:*`,
      licenses: [{ license: { id: 'MIT' } }],
    })
  return `${JSON.stringify(bom, undefined, 2)}\n`
}

/** What npm leaves out, because nothing needs it to run. */
function inTheSite(): readonly object[] {
  const packages: Readonly<
    Record<string, { readonly version?: string; readonly license?: string; readonly dev?: boolean }>
  > = lock.packages
  return Object.entries(packages).flatMap(([path, locked]) => {
    const { version = '', license = '', dev } = locked
    if (dev !== true || !isDistributed(path, locked)) return []
    const name = path.replace(/^.*node_modules\//, '')
    const purl = `pkg:npm/${name}@${version}`
    return {
      'bom-ref': `${name}@${version}`,
      type: 'library',
      name,
      version,
      purl,
      licenses: [{ license: { id: license } }],
    }
  })
}
