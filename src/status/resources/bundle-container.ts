/** The parameters of a bundle's container agent: image, command, addresses, ports and directories of one replica. */
import { type BundleDefinition, parseBoolean, type XmlElement } from '../../cib/index.ts'

export interface ReplicaFacts {
  readonly number: number
  readonly ipAddress?: string
  /** How many replicas the bundle has: each container knows the addresses of all. */
  readonly replicas: number
}

/** The address of a replica, counted up from the start of the range. */
export function addressAt({ network }: BundleDefinition, number: number): string | undefined {
  const start = network?.attributes['ip-range-start']
  if (start === undefined) return undefined
  const match = /^(.*?)(\d+)$/.exec(start)
  if (match === null || start.includes(':')) return number === 0 ? start : addressV6At(start, number)
  const [, prefix = '', last = '0'] = match
  return `${prefix}${Number(last) + number}`
}

function addressV6At(start: string, number: number): string {
  const parts = start.split(':')
  const last = Number.parseInt(parts.at(-1) ?? '0', 16) || 0
  return [...parts.slice(0, -1), (last + number).toString(16)].join(':')
}

interface Mount {
  readonly source: string
  readonly target: string
  readonly options?: string
  /** Each replica has a directory of its own below the source. */
  readonly perReplica: boolean
}

export function containerParameters(bundle: BundleDefinition, replica: ReplicaFacts): Readonly<Record<string, string>> {
  const { attributes } = bundle.container
  const mounts = mountsOf(bundle)
  const ownDirectories = mounts.filter(({ perReplica }) => perReplica).map((mount) => sourceOf(mount, bundle, replica))
  const command =
    bundle.child === undefined
      ? attributes['run-command']
      : (attributes['run-command'] ?? '/usr/sbin/pacemaker-remoted')
  return {
    image: attributes.image ?? '',
    allow_pull: 'true',
    force_kill: 'false',
    reuse: 'false',
    run_opts: runOptions(bundle, replica, mounts),
    mount_points: ownDirectories.join(','),
    ...(command === undefined ? {} : { run_cmd: command }),
    // Whether the container is alive is all that is asked; what runs in it has monitors of its own.
    monitor_cmd: '/bin/true',
  }
}

function mountsOf(bundle: BundleDefinition): readonly Mount[] {
  const written = bundle.storage.map((mapping) => mountOf(mapping))
  if (bundle.child === undefined) return written
  return [
    ...written,
    { source: '/etc/pacemaker/authkey', target: '/etc/pacemaker/authkey', perReplica: false },
    { source: '/var/log/pacemaker/bundles', target: '/var/log', perReplica: true },
  ]
}

function mountOf({ attributes }: XmlElement): Mount {
  const { 'source-dir': directory, 'source-dir-root': root, 'target-dir': target = '', options } = attributes
  return {
    source: directory ?? root ?? '',
    target,
    perReplica: directory === undefined,
    ...(options === undefined ? {} : { options }),
  }
}

function sourceOf(mount: Mount, bundle: BundleDefinition, replica: ReplicaFacts): string {
  return mount.perReplica ? `${mount.source}/${bundle.id}-${replica.number}` : mount.source
}

/**
 * Options of `docker run` and `podman run`; a host name only where there is an address for it. What is written counts in
 * digests, so the blank before the host names is there even where there are none.
 */
function runOptions(bundle: BundleDefinition, replica: ReplicaFacts, mounts: readonly Mount[]): string {
  const { attributes } = bundle.container
  const network = bundle.network?.attributes ?? {}
  const options: string[] = bundle.container.technology === 'docker' ? ['--restart=no'] : []
  if (replica.ipAddress !== undefined) options.push(`-h ${bundle.id}-${replica.number}`)
  options.push('-e PCMK_stderr=1')
  if (attributes.network !== undefined) options.push(`--net=${attributes.network}`)
  options.push(`-e PCMK_remote_port=${network['control-port'] ?? '3121'}`)
  for (const mount of mounts) {
    const suffix = mount.options === undefined ? '' : `:${mount.options}`
    options.push(`-v ${sourceOf(mount, bundle, replica)}:${mount.target}${suffix}`)
  }
  options.push(...portOptions(bundle, replica))
  if (attributes.options !== undefined) options.push(attributes.options)
  return ` ${options.join(' ')} ${hostOptions(bundle, replica)}`
}

function hostOptions(bundle: BundleDefinition, replica: ReplicaFacts): string {
  if (replica.ipAddress === undefined || parseBoolean(bundle.network?.attributes['add-host'] ?? 'true') === false)
    return ''
  const numbers = Array.from({ length: replica.replicas }, (_, number) => number)
  return numbers.map((number) => ` --add-host=${bundle.id}-${number}:${addressAt(bundle, number)}`).join('')
}

function portOptions(bundle: BundleDefinition, replica: ReplicaFacts): readonly string[] {
  const ports = (bundle.network?.portMappings ?? []).map(({ attributes }) => {
    const outside = attributes.port ?? attributes.range ?? ''
    return { outside, inside: attributes['internal-port'] ?? outside }
  })
  const control = bundle.network?.attributes['control-port'] ?? '3121'
  const all = bundle.child === undefined ? ports : [...ports, { outside: control, inside: control }]
  if (replica.ipAddress !== undefined)
    return all.map(({ outside, inside }) => `-p ${replica.ipAddress}:${outside}:${inside}`)
  if (bundle.container.attributes.network === 'host') return []
  return all.map(({ outside, inside }) => `-p ${outside}:${inside}`)
}
