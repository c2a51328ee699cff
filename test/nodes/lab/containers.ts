/**
 * Containers in a lab: Debian's podman or docker on each node, with a store of its own that outlives a power cut. There is no
 * registry: the image is made from local files, a skeleton whose /usr is the host's and whose Systole is the lab's, both mounted.
 */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Lab } from './lab.ts'
import { run } from './network.ts'

/** Folders of which each node needs its own. */
export const containerDisks = ['/etc/containers', '/var/lib/containers', '/var/lib/cni', '/var/log/pacemaker']
/** The same for docker. In /usr/local/bin may be another client of it than Debian's. */
export const dockerDisks = ['/var/lib/docker', '/var/log/pacemaker', '/usr/local/bin']
export const image = 'localhost/inside:1'
/** The daemon as it is found in a container of the image. */
export const daemonInside = '/opt/systole/bin/systoled --remote'

/** Where podman may set no limits and no cgroups, as in this lab, it is told not to. */
const settings = `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
runtime = "crun"
`
const storage = `[storage]
driver = "vfs"
graphroot = "/var/lib/containers/storage"
runroot = "/run/containers/storage"
`

/** Before the lab starts. */
export async function prepareContainers(lab: Lab): Promise<void> {
  // Podman makes it when it first needs it; a disk wants a place.
  mkdirSync('/var/lib/cni', { recursive: true })
  for (const node of lab.nodes) {
    const folder = join(lab.folder, 'nodes', node, 'disks/etc/containers')
    mkdirSync(folder, { recursive: true })
    mkdirSync(join(lab.folder, 'nodes', node, 'disks/var/lib/containers'), { recursive: true })
    writeFileSync(join(folder, 'containers.conf'), settings)
    writeFileSync(join(folder, 'storage.conf'), storage)
    writeFileSync(join(folder, 'policy.json'), '{"default": [{"type": "insecureAcceptAnything"}]}\n')
  }
  await makeImage(lab)
}

/** Before the lab starts. Its nodes boot with a daemon of docker's own. */
export async function prepareDocker(lab: Lab): Promise<void> {
  copyFileSync(join(import.meta.dirname, 'docker-boot.sh'), join(lab.folder, 'boot.sh'))
  for (const disk of dockerDisks) {
    // A disk wants a place.
    mkdirSync(disk, { recursive: true })
    for (const node of lab.nodes) mkdirSync(join(lab.folder, 'nodes', node, 'disks', disk), { recursive: true })
  }
  await makeImage(lab)
}

/** Once the nodes have no power: what their containers left in the hierarchy of control groups, which is the whole machine's. */
export async function removeDockerGroups(lab: Lab): Promise<void> {
  const script = `mount -t cgroup2 cgroup2 /mnt && for group in /mnt/${basename(lab.folder)}-*; do
    [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} +; done`
  await run('unshare', '--mount', '--propagation', 'private', 'bash', '-c', script)
}

async function makeImage(lab: Lab): Promise<void> {
  const root = join(lab.folder, 'image')
  for (const folder of [
    'usr',
    'etc/systole',
    'opt/systole',
    'var/lib/systole',
    'var/log',
    'var/tmp',
    'run',
    'tmp',
    'proc',
    'sys',
    'dev',
    'root',
  ])
    mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  await run('cp', '/etc/passwd', '/etc/group', '/etc/nsswitch.conf', '/etc/ld.so.cache', join(root, 'etc'))
  await run('tar', '-C', root, '-cf', join(lab.folder, 'image.tar'), '.')
}

/** On every node, once it has power. */
export async function importImage(lab: Lab, engine: 'podman' | 'docker' = 'podman'): Promise<void> {
  for (const node of lab.nodes) await lab.inNode(node, engine, 'import', join(lab.folder, 'image.tar'), image)
}

/** What a bundle of the image needs from its host. */
export function storageOfImage(lab: Lab): readonly string[] {
  const modules = resolve(import.meta.dirname, '../../../node_modules')
  const mounts = [
    ['/usr', '/usr'],
    [join(lab.folder, 'systole'), '/opt/systole'],
    [modules, modules],
  ]
  return mounts.flatMap(([from = '', to = '']) => [
    'storage-map',
    `source-dir=${from}`,
    `target-dir=${to}`,
    'options=ro',
  ])
}
