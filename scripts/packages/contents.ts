/** What each package has, as a tree. */

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { bashScript, zshScript } from '../../src/cli/index.ts'
import { systolePages, toolPages } from '../man/pages.ts'
import { type Page, printPage } from '../man/troff.ts'
import { catalog } from './catalog.ts'
import { copyright } from './copyright.ts'
import type { PackageDefinition } from './definitions.ts'
import { copy, link, put } from './files.ts'

const project = resolve(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(project, path), 'utf8')

export interface Release {
  readonly version: string
  /** Seconds since 1970. */
  readonly epoch: number
  readonly maintainer: string
  readonly withNode: boolean
}

const dayOf = ({ epoch }: Release): string => new Date(epoch * 1000).toISOString().slice(0, 10)

/** `site`: the folder with the documentation as a site. */
type WithSite = Release & { readonly site: string }

export function putContents(root: string, definition: PackageDefinition, release: WithSite): void {
  const { name, unit } = definition
  putDocumentation(root, name, release)
  if (unit === undefined) putOtherNames(root, release)
  else putRole(root, name, unit, release)
}

function putRole(root: string, name: string, unit: string, release: WithSite): void {
  for (const program of ['systole', 'systoled'])
    link(root, `usr/sbin/${program}`, `../lib/systole/current/bin/${program}`)
  if (name === 'systole') link(root, 'usr/share/systole/alerts', '../../lib/systole/current/agents/alerts')
  if (name === 'systole') link(root, 'usr/bin/systole-inventory', '../lib/systole/current/bin/systole-inventory')
  put(root, `usr/lib/systemd/system/${unit}.service`, unitText(unit))
  if (name === 'systole-witness')
    put(root, `usr/lib/systemd/system/${unit}.service.d/witness.conf`, read('packaging/systoled-witness.conf'))
  if (name === 'systole') put(root, 'usr/lib/systemd/catalog/systole.catalog', catalog())
  put(root, 'usr/lib/sysusers.d/systole.conf', read('packaging/systole.sysusers'))
  put(root, 'usr/lib/tmpfiles.d/systole.conf', read('packaging/systole.tmpfiles'))
  put(root, `usr/lib/firewalld/services/${name}.xml`, read(`packaging/firewalld/${name}.xml`))
  put(root, `etc/ufw/applications.d/${name}`, read(`packaging/ufw/${name}`))
  if (name === 'systole') put(root, 'etc/pam.d/systole', read('packaging/pam/systole'))
  if (name !== 'systole-remote') put(root, 'etc/logrotate.d/systole', read('packaging/systole.logrotate'))
  put(root, 'usr/share/bash-completion/completions/systole', bashScript)
  put(root, 'usr/share/zsh/vendor-completions/_systole', zshScript)
  for (const page of systolePages()) putPage(root, page, release)
  if (name === 'systole') {
    put(root, 'usr/share/man/man1/systole-inventory.1.gz', zipped('.so man8/systole-inventory.8\n'))
    for (const part of ['README.md', 'docs/guides', 'docs/concepts', 'docs/reference', 'docs/security.md', 'examples'])
      copy(join(project, part), root, `usr/share/doc/systole/${part}`)
    copy(release.site, root, 'usr/share/doc/systole/html', (file) => !file.endsWith('/.systole-site'))
  }
}

/** The unit that is tested, with the place and the manual of an installed one. */
export const unitText = (unit: string): string =>
  read(`packaging/${unit}.service`)
    .replace(/^#.*Copy to.*\n/, '')
    .replace('ExecStart=/opt/systole/', 'ExecStart=/usr/lib/systole/current/')
    .replace(/^Documentation=.*$/m, 'Documentation=man:systoled(8) man:systole(8)')

const zipped = (text: string): Buffer => gzipSync(text, { level: 9 })

function putPage(root: string, page: Page, release: Release): void {
  const text = printPage(page, release.version, dayOf(release))
  put(root, `usr/share/man/man${page.number}/${page.name}.${page.number}.gz`, zipped(text))
}

/** Links beside no diversion: who had these names before is replaced. */
function putOtherNames(root: string, release: Release): void {
  for (const name of otherNames()) link(root, `usr/sbin/${name}`, `../lib/systole/current/shims/${name}`)
  link(root, 'usr/sbin/pcs', '../lib/systole/current/bin/pcs')
  for (const page of toolPages()) putPage(root, page, release)
  put(root, 'usr/share/man/man8/pcs.8.gz', zipped('.so man8/systole.8\n'))
  put(root, 'usr/share/bash-completion/completions/pcs', bashScript.replace(/\bsystole$/gm, 'pcs'))
}

export const otherNames = (): readonly string[] =>
  readdirSync(join(project, 'shims')).filter((name) => name !== 'systole-tool')

function putDocumentation(root: string, name: string, release: Release): void {
  const folder = `usr/share/doc/${name}`
  const date = new Date(release.epoch * 1000).toUTCString().replace('GMT', '+0000')
  const entry = `systole (${release.version}) unstable; urgency=medium\n\n  * Release ${release.version}: see NEWS.md.gz in this folder.\n\n -- ${release.maintainer}  ${date}\n`
  put(root, `${folder}/changelog.gz`, zipped(entry))
  put(root, `${folder}/NEWS.md.gz`, zipped(read('CHANGELOG.md')))
  put(root, `${folder}/copyright`, copyright(release.withNode && name !== 'systole-pacemaker-compat'))
}
