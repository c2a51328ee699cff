/**
 * `npm run third-party`: writes THIRD-PARTY.md, the packages of others that are distributed with Systole and their licences, from package-lock.json.
 * `--check` only compares, and fails for a licence of which nobody has said whether it goes with ours.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readOptions } from './arguments.ts'
import { isDistributed } from './packages/distributed.ts'

interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

/** Go with GPL-3.0-or-later, which our own licence allows; Apache-2.0 does not go with version 2 of the GPL alone. */
const compatible = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'Unlicense',
  'BlueOak-1.0.0',
])

const project = resolve(import.meta.dirname, '..')
const file = join(project, 'THIRD-PARTY.md')
const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>
}
const rows = Object.entries(packages).flatMap(([path, locked]) => {
  const { version = '', license } = locked
  if (!isDistributed(path, locked)) return []
  return [{ name: path.replace(/^.*node_modules\//, ''), version, license: license ?? licenceOf(path) }]
})
const unclear = rows.filter(({ license }) => !compatible.has(license))
const text = `# Packages of others

Made from package-lock.json by \`npm run third-party\`.

Systole itself is under the GNU General Public License, version 2 or, at your option, any later version ([LICENSE](LICENSE)). It is distributed together with the packages below. Some of them are under
the Apache License 2.0, which goes with version 3 of the GPL and not with version 2: the combination, such as an installed Systole with its \`node_modules\` or the compiled \`dist\`, may be passed on under version 3 of the
GPL or any later one. Who takes only Systole's own files may choose version 2. Each package holds its licence and its notices in its folder below \`node_modules\`.

| Package | Version | Licence |
| --- | --- | --- |
${[...new Set(rows.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`))].sort().join('\n')}
`

if (unclear.length > 0) {
  for (const { name, license } of unclear)
    console.error(`${name}: nobody has said whether '${license}' goes with our licence.`)
  process.exitCode = 1
} else if (readOptions({ check: { type: 'boolean' } }).check !== true) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  console.error('THIRD-PARTY.md is not what package-lock.json says: run npm run third-party.')
  process.exitCode = 1
}

/** Some packages are listed without their licence: those for another platform are not even here, and have that of their family. */
function licenceOf(path: string): string {
  const family = path.replace(/-(linux|darwin|win32|freebsd|openbsd|alpine|musl).*$/, '')
  return (
    Object.entries(packages).find(([other, { license }]) => license && other.startsWith(family))?.[1].license ??
    'unknown'
  )
}
