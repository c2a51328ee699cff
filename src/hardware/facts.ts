/**
 * What a machine is, as transient node attributes: `#facts-memory-mib`, `#facts-cpu-cores`. Rules and location constraints see them as they see
 * any attribute. The list here is all there is: nothing that changes while a machine works, so that a fact is written when the machine changes.
 */
export const factPrefix = '#facts-'

export type FactKind = 'number' | 'text'

export interface FactDefinition {
  /** The name for people and in profiles. */
  readonly name: string
  /** The node attribute. */
  readonly attribute: string
  readonly kind: FactKind
  /** Of a number that has one. */
  readonly unit?: 'MiB' | 'GiB' | 'Mbit/s' | 'MiB/s'
  readonly summary: string
}

const define = (
  name: string,
  kind: FactKind,
  { summary, unit, attribute = name }: Pick<FactDefinition, 'summary' | 'unit'> & { readonly attribute?: string },
): FactDefinition => ({
  name,
  kind,
  summary,
  attribute: `${factPrefix}${attribute}`,
  ...(unit === undefined ? {} : { unit }),
})

export const factDefinitions: readonly FactDefinition[] = [
  define('cpus', 'number', { summary: 'processors that Linux schedules on', attribute: 'cpus' }),
  define('cores', 'number', { summary: 'cores of all sockets' }),
  define('sockets', 'number', { summary: 'processor sockets' }),
  define('cpu', 'text', { summary: 'model of the processor', attribute: 'cpu-model' }),
  define('memory', 'number', { summary: 'installed memory', unit: 'MiB', attribute: 'memory-mib' }),
  define('disks', 'number', { summary: 'whole disks, without loop devices and removable ones' }),
  define('disk', 'number', { summary: 'size of all these disks together', unit: 'GiB', attribute: 'disk-gib' }),
  define('nics', 'number', { summary: 'network interfaces of hardware' }),
  define('network', 'number', {
    summary: 'speed of the fastest of them that has a carrier',
    unit: 'Mbit/s',
    attribute: 'network-mbit',
  }),
  define('vendor', 'text', { summary: 'manufacturer of the machine' }),
  define('model', 'text', { summary: 'model of the machine' }),
  define('firmware', 'text', { summary: 'version of the BIOS or UEFI' }),
  define('os', 'text', { summary: 'operating system' }),
  define('kernel', 'text', { summary: 'version of the kernel' }),
  define('architecture', 'text', { summary: 'architecture' }),
  define('virtual', 'text', { summary: 'no, or the hypervisor' }),
  define('bmc', 'text', { summary: 'address of the BMC, from ipmitool', attribute: 'bmc-address' }),
]

const byAttribute = new Map(factDefinitions.map((one) => [one.attribute, one]))
const byName = new Map(factDefinitions.map((one) => [one.name, one]))

export const factNamed = (name: string): FactDefinition | undefined => byName.get(name)
export const factOfAttribute = (attribute: string): FactDefinition | undefined => byAttribute.get(attribute)

/** What was read on a machine. What could not be read is not there. */
export interface HardwareReading {
  readonly cpus?: number | undefined
  readonly cores?: number | undefined
  readonly sockets?: number | undefined
  readonly cpuModel?: string | undefined
  /** What Linux may use. */
  readonly memoryBytes?: number | undefined
  /** The modules that the firmware lists. */
  readonly moduleBytes?: number | undefined
  readonly diskBytes?: readonly number[] | undefined
  /** Megabits a second of each interface of hardware; 0 where none is known. */
  readonly nicSpeeds?: readonly number[] | undefined
  readonly vendor?: string | undefined
  readonly model?: string | undefined
  readonly firmware?: string | undefined
  readonly os?: string | undefined
  readonly kernel?: string | undefined
  readonly architecture?: string | undefined
  readonly virtual?: string | undefined
  readonly bmcAddress?: string | undefined
}

/** By the name of the node attribute. */
export type Facts = ReadonlyMap<string, string>

const longestText = 100
const mostOf = 1_000_000_000

export function factsOf(reading: HardwareReading): Facts {
  const disks = reading.diskBytes
  const nics = reading.nicSpeeds
  const values: Readonly<Record<string, string | number | undefined>> = {
    cpus: reading.cpus,
    cores: reading.cores,
    sockets: reading.sockets,
    cpu: reading.cpuModel,
    memory: memoryMib(reading),
    disks: disks?.length,
    disk: disks && Math.round(sum(disks) / 1024 ** 3),
    nics: nics?.length,
    network: nics && Math.max(0, ...nics) > 0 ? Math.max(...nics) : undefined,
    vendor: reading.vendor,
    model: reading.model,
    firmware: reading.firmware,
    os: reading.os,
    kernel: reading.kernel,
    architecture: reading.architecture,
    virtual: reading.virtual,
    bmc: reading.bmcAddress,
  }
  return new Map(
    factDefinitions.flatMap(({ name, attribute, kind }) => {
      const written = kind === 'number' ? wholeNumber(values[name]) : plainText(values[name])
      return written === undefined ? [] : [[attribute, written]]
    }),
  )
}

/**
 * Linux has less than what is installed: the firmware and the kernel keep some. A machine with 64 GiB is one for whoever wants 64 GiB, so that
 * the modules count, unless they are of another machine (a container sees those of its host).
 */
function memoryMib({ memoryBytes, moduleBytes }: HardwareReading): number | undefined {
  if (memoryBytes === undefined) return undefined
  const fits = moduleBytes !== undefined && moduleBytes >= memoryBytes && moduleBytes <= memoryBytes * 1.25
  return Math.round((fits ? moduleBytes : memoryBytes) / 1024 ** 2)
}

function wholeNumber(value: string | number | undefined): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined
  return String(Math.min(mostOf, Math.round(value)))
}

/** The firmware of a machine may say anything: only letters that every tool can show remain. */
function plainText(value: string | number | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/[<>&"'`$\\]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, longestText)
    .trim()
  return text === '' || text === '-' ? undefined : text
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

/** Of the attributes of a node. */
export function knownFacts(attributes: Iterable<readonly [string, string]>): Facts {
  return new Map([...attributes].filter(([name]) => byAttribute.has(name)))
}

export interface FactChange {
  readonly attribute: string
  /** undefined: it is deleted. */
  readonly value?: string
}

/** What is to be written, so that the recorded facts of a node are those of its machine. Attributes that are no facts are nobody's concern. */
export function factChanges(recorded: Facts, facts: Facts): readonly FactChange[] {
  const gone = [...recorded.keys()].filter((name) => byAttribute.has(name) && !facts.has(name))
  return [
    ...[...facts]
      .filter(([name, value]) => recorded.get(name) !== value)
      .map(([attribute, value]) => ({ attribute, value })),
    ...gone.map((attribute) => ({ attribute })),
  ]
}

/** `64 GiB`, `10 Gbit/s`; a text as it is. */
export function printFact({ kind, unit }: FactDefinition, value: string): string {
  const number = Number(value)
  if (kind === 'text' || unit === undefined || !Number.isFinite(number)) return value
  const [factor, names] = scales[unit]
  let [scaled, index] = [number, 0]
  while (scaled >= factor && index < names.length - 1) {
    scaled /= factor
    index++
  }
  return `${Number(scaled.toFixed(scaled < 10 ? 2 : 1))} ${names[index]}`
}

const scales: Readonly<Record<NonNullable<FactDefinition['unit']>, readonly [number, readonly string[]]>> = {
  MiB: [1024, ['MiB', 'GiB', 'TiB']],
  GiB: [1024, ['GiB', 'TiB']],
  'Mbit/s': [1000, ['Mbit/s', 'Gbit/s']],
  'MiB/s': [1024, ['MiB/s', 'GiB/s']],
}

export interface FactDifference {
  readonly fact: FactDefinition
  /** By node; undefined where it is not known. */
  readonly values: ReadonlyMap<string, string | undefined>
}

/** Facts that are not the same on all of these nodes. A BMC has an address of its own everywhere. */
export function differencesBetween(nodes: ReadonlyMap<string, Facts>): readonly FactDifference[] {
  return factDefinitions.flatMap((fact) => {
    if (fact.name === 'bmc') return []
    const values = new Map([...nodes].map(([node, facts]) => [node, facts.get(fact.attribute)]))
    return new Set(values.values()).size > 1 ? [{ fact, values }] : []
  })
}

/** The value that more nodes have than any other, for whoever looks for the odd one. */
export function usualValue({ values }: FactDifference): string | undefined {
  const counts = new Map<string | undefined, number>()
  for (const value of values.values()) counts.set(value, (counts.get(value) ?? 0) + 1)
  const [first, second] = [...counts].toSorted(([, m], [, n]) => n - m)
  return first !== undefined && first[1] > (second?.[1] ?? 0) ? first[0] : undefined
}
