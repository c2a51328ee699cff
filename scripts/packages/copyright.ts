/** The copyright file: Systole's own licence, and word for word those of the packages that are distributed with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isDistributed } from './distributed.ts'
import { nodeVersion } from './node-build.ts'

const project = resolve(import.meta.dirname, '../..')

interface LockedPackage {
  readonly version?: string
  readonly license?: string
  readonly dev?: boolean
}

const own = `Systole is copyright of the Systole authors.

It is free software: you can redistribute it and/or modify it under the terms
of the GNU General Public License as published by the Free Software
Foundation, either version 2 of the License, or (at your option) any later
version.

It is distributed in the hope that it will be useful, but WITHOUT ANY
WARRANTY; without even the implied warranty of MERCHANTABILITY or FITNESS FOR
A PARTICULAR PURPOSE. See the GNU General Public License for more details.

On Debian systems, the text of the GNU General Public License version 2 is in
/usr/share/common-licenses/GPL-2, that of version 3 in
/usr/share/common-licenses/GPL-3. The packages of others that are listed below
are compiled into the program. Some of them are under the Apache License 2.0
(/usr/share/common-licenses/Apache-2.0), so that the whole may be passed on
under version 3 of the GPL or any later one.
`

/** Many packages have one text between them. */
function ofOthers(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  const users = new Map<string, string[]>()
  for (const [path, locked] of Object.entries(packages)) {
    const { version = '', license = '' } = locked
    if (!isDistributed(path, locked) || !existsSync(join(project, path))) continue
    const text = licenceText(join(project, path), license)
    users.set(text, [...(users.get(text) ?? []), `${path.replace(/^.*node_modules\//, '')} ${version} (${license})`])
  }
  return [...users].map(([text, names]) => `${names.sort().join('\n')}\n\n${text.trim()}\n`)
}

function licenceText(folder: string, license: string): string {
  if (license === 'Apache-2.0') return 'See /usr/share/common-licenses/Apache-2.0.'
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  return file === undefined
    ? `Its package names only the licence: ${license}.`
    : readFileSync(join(folder, file), 'utf8')
}

const rule = `\n${'-'.repeat(78)}\n\n`

export function copyright(withNode: boolean): string {
  const node = `Node.js ${nodeVersion} is in /usr/lib/systole/program/node, as its project has built it, without
its tables for debuggers. Its licence (MIT) and those of the libraries in it are
in /usr/lib/systole/program/node/LICENSE.\n`
  return [own, ...(withNode ? [node] : []), ...ofOthers()].join(rule)
}
