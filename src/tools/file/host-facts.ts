/** What crm_report tells of the host: its system, the packages that matter, and the cores that processes left. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { arch, release, type } from 'node:os'
import { join } from 'node:path'

const packages = [
  'systole',
  'resource-agents',
  'resource-agents-extra',
  'fence-agents',
  'etcd-server',
  'corosync',
  'pacemaker',
]

export function systemText(): string {
  return [
    `Platform: ${type()}`,
    `Kernel release: ${release()}`,
    `Architecture: ${arch()}`,
    `Distribution: ${distribution()}`,
    `Node.js: ${process.version}`,
    ...versions(),
    '',
  ].join('\n')
}

function distribution(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown'
  } catch {
    // A system without that file has no name that could be told.
    return 'unknown'
  }
}

/** Those that are installed, as dpkg or rpm knows them. */
function versions(): readonly string[] {
  const asked = [
    ['dpkg-query', '--show', ...packages],
    ['rpm', '--query', '--queryformat', '%{NAME} %{VERSION}-%{RELEASE}\\n', ...packages],
  ]
  const answers = asked.map(([program = '', ...words]) => spawnSync(program, words, { encoding: 'utf8' }))
  const text = answers.find(({ error }) => error === undefined)?.stdout ?? ''
  return text.split('\n').flatMap((line) => (/^\S+\s\S+$/.test(line) ? [line.replace('\t', ' ')] : []))
}

/** Where systemd, the kernel and the daemon leave them; `from` in seconds since the epoch. */
export function coresText(root: string, from: number | undefined): string {
  return ['/var/lib/systemd/coredump', '/var/crash', join(root, 'var/lib/systole')]
    .flatMap((folder) => coresIn(folder, from))
    .join('')
}

function coresIn(folder: string, from: number | undefined): readonly string[] {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch {
    // There is no such folder, so that there are no cores in it.
    return []
  }
  return names
    .filter((name) => /^core\b|\.crash$/.test(name))
    .sort()
    .flatMap((name) => {
      const { mtime, size } = statSync(join(folder, name))
      return from !== undefined && mtime.getTime() < from * 1000
        ? []
        : [`${join(folder, name)} ${size} bytes, ${mtime.toISOString()}\n`]
    })
}
