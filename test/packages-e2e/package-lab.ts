/** Machines whose /usr and dpkg are their own, so that packages can be installed on them, and packages of several versions. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { Lab } from '../nodes/lab/lab.ts'

const project = resolve(import.meta.dirname, '../..')

export const run = (program: string, ...words: readonly string[]): string =>
  execFileSync(program, words, { cwd: project, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'pipe'] })

/** The version that the packages are of; the variants are 9.0.1 and 9.0.2. */
export const released = packageJson.version

/** All four, with Node.js inside. */
export const buildPackages = (folder: string): string =>
  run('node', 'scripts/run.mjs', 'scripts/package.ts', '--compression', 'none', '--folder', folder)

export function packageFile(folder: string, name: string, version: string): string {
  const file = readdirSync(folder).find((one) => one.startsWith(`${name}_${version}_`)) ?? 'missing'
  return join(folder, file)
}

export class PackageLab extends Lab {
  readonly packages: string

  /** `root`: of another Debian than this machine's. */
  constructor(members: readonly string[], remotes: readonly string[], root?: string) {
    super([...members, ...remotes], { systemd: true, remotes, disks: ['/var/lib/dpkg'] })
    this.packages = join(this.folder, 'packages')
    chmodSync(this.folder, 0o755)
    // The programs of the checkout are not on these machines.
    for (const name of readdirSync(join(this.folder, 'programs'))) rmSync(join(this.folder, 'programs', name))
    mkdirSync(join(this.folder, 'nodes'), { recursive: true })
    writeFileSync(join(this.folder, 'packages-only'), '')
    if (root !== undefined) writeFileSync(join(this.folder, 'debian'), root)
    writeFileSync(
      join(this.folder, 'boot.sh'),
      `mkdir -p /var/lib/apt/lists/partial /var/cache/apt/archives/partial /var/log/apt /var/lib/nginx /var/log/nginx
rm -f /usr/sbin/policy-rc.d /etc/apt/sources.list /etc/apt/sources.list.d/*
`,
    )
  }

  /** Its init makes the walls first: nothing may be written meanwhile. */
  async booted(node: string): Promise<void> {
    await this.until(
      `${node} has booted`,
      async () => (await this.inNode(node, 'systemctl', 'is-active', 'lab-node.target')).startsWith('active'),
      60_000,
    )
  }

  build(): void {
    buildPackages(this.packages)
  }

  file(name: string, version: string): string {
    return packageFile(this.packages, name, version)
  }

  /** The same package as another version, after a change of its program. */
  variant(name: string, version: string, change: (program: string) => void = () => undefined): void {
    const tree = join(this.folder, 'tree')
    run('dpkg-deb', '-R', this.file(name, released), tree)
    const control = join(tree, 'DEBIAN/control')
    writeFileSync(control, readFileSync(control, 'utf8').replace(`Version: ${released}`, `Version: ${version}`))
    const program = join(tree, 'usr/lib/systole/program')
    writeFileSync(join(program, 'build'), `${version}-variant\n`)
    change(program)
    const to = this.file(name, released).replace(`_${released}_`, `_${version}_`)
    run('dpkg-deb', '--root-owner-group', '-Znone', '-b', tree, to)
    rmSync(tree, { recursive: true })
  }

  async install(node: string, name: string, version = released, ...options: readonly string[]): Promise<string> {
    return await this.apt(node, 'install', '--allow-downgrades', ...options, this.file(name, version))
  }

  async apt(node: string, ...words: readonly string[]): Promise<string> {
    const quiet = ['-y', '-q', '--no-install-recommends', '-o', 'APT::Sandbox::User=root']
    // Never those of the host, whatever went wrong with the machine.
    const guarded =
      '[ "$(stat -f -c %T /usr)" = overlayfs ] || exit 99; DEBIAN_FRONTEND=noninteractive exec apt-get "$@"'
    return await this.inNode(node, 'sh', '-c', guarded, 'sh', ...quiet, ...words)
  }

  async mainPid(node: string, unit = 'systoled'): Promise<string> {
    return (await this.inNode(node, 'systemctl', 'show', '--property', 'MainPID', '--value', unit)).trim()
  }

  /** The version that the daemon runs from, whatever the link says. */
  async runningVersion(node: string, unit = 'systoled'): Promise<string> {
    const line = await this.inNode(node, 'cat', `/proc/${await this.mainPid(node, unit)}/cmdline`)
    return /versions\/([^-/]+)-/.exec(line)?.[1] ?? line
  }

  /** What dpkg says of a package: `ii` where it is installed and configured. */
  async state(node: string, name: string): Promise<string> {
    const format = `-f=\${db:Status-Abbrev}\${Version}`
    return await this.inNode(node, 'dpkg-query', '-W', format, name).catch(() => '')
  }
}
