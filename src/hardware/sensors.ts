/**
 * What `ipmitool sdr elist`, `ipmitool sel elist`, `smartctl` and the kernel say of a machine, as conditions. Thresholds are those of the BMC: who built the
 * machine knows them. One of several fans or power supplies is spare; the last one is not.
 */
import { type Colour, type Condition, conditionOf } from './health.ts'

interface SensorLine {
  readonly name: string
  /** `ok`, `ns` for none, `nc`, `ucr`, `lnr` … */
  readonly status: string
  readonly text: string
}

const mostLines = 2000

export function sensorLines(output: string): readonly SensorLine[] {
  return output
    .split('\n')
    .slice(0, mostLines)
    .flatMap((line) => {
      const [name = '', , status = '', , text] = line.split('|').map((part) => part.trim())
      return text === undefined || name === '' ? [] : [{ name, status, text }]
    })
}

const colourOf = ({ status }: SensorLine): Colour =>
  /^[ul]?nc$/.test(status) ? 'yellow' : /^[ul]?(?:cr|nr)$/.test(status) ? 'red' : 'green'

const side = (status: string): string =>
  status.startsWith('l')
    ? 'below its threshold'
    : status.startsWith('u')
      ? 'above its threshold'
      : 'beyond its threshold'

const isFailed = ({ text }: SensorLine): boolean =>
  /failure detected|predictive failure|AC lost|out-of-range|config(?:uration)? error/i.test(text)

export interface SensorConditions {
  readonly temperature?: Condition
  readonly fans?: Condition
  readonly power?: Condition
}

/** Aspects without any sensor are not there. */
export function conditionsOfSensors(output: string): SensorConditions {
  const read = sensorLines(output).filter(({ status }) => status !== 'ns')
  const temperatures = read.filter(({ text }) => /degrees [CF]$/.test(text))
  const fans = read.filter(({ text }) => /RPM$/.test(text))
  const supplies = read.filter(
    ({ name, text }) => /^(?:ps|psu|pwr|power)/i.test(name) && /presence detected|AC lost|failure/i.test(text),
  )
  return {
    ...(temperatures.length > 0 ? { temperature: conditionOf(temperatures.map(beyond)) } : {}),
    ...(fans.length > 0 ? { fans: spare(fans, (fan) => colourOf(fan) === 'red', 'runs too slowly') } : {}),
    ...(supplies.length > 0 ? { power: spare(supplies, isFailed, 'has failed') } : {}),
  }
}

const beyond = (line: SensorLine): { readonly colour: Colour; readonly reason: string } => ({
  colour: colourOf(line),
  reason: `${line.name} is ${side(line.status)}`,
})

function spare(lines: readonly SensorLine[], hasFailed: (line: SensorLine) => boolean, how: string): Condition {
  const failed = lines.filter(hasFailed)
  const rest = lines.length - failed.length
  const colour = rest === 0 || failed.length > 1 ? 'red' : 'yellow'
  return conditionOf(failed.map(({ name }) => ({ colour, reason: `${name} ${how}` })))
}

const manyCorrected = 10

/** An uncorrectable memory error counts until the event log is cleared: by `ipmitool sel clear`, once the module is replaced. */
export function memoryCondition(output: string): Condition {
  const events = output
    .split('\n')
    .slice(-mostLines)
    .map((line) => line.split('|').map((part) => part.trim()))
    .filter((parts) => parts.some((part) => /^memory\b/i.test(part)) && !parts.includes('Deasserted'))
  const count = (pattern: RegExp): number => events.filter((parts) => parts.some((part) => pattern.test(part))).length
  const uncorrectable = count(/uncorrectable/i)
  const corrected = count(/^correctable/i)
  const limit = count(/logging limit reached/i)
  return conditionOf([
    ...(uncorrectable > 0
      ? [{ colour: 'red' as const, reason: 'uncorrectable memory errors are in the event log' }]
      : []),
    ...(corrected >= manyCorrected || limit > 0
      ? [{ colour: 'yellow' as const, reason: 'many corrected memory errors are in the event log' }]
      : []),
  ])
}

export interface MountedFilesystem {
  readonly source: string
  readonly place: string
  readonly isReadOnly: boolean
}

/** Of /proc/self/mounts: those on block devices. */
export function mountedFilesystems(mounts: string): readonly MountedFilesystem[] {
  return mounts.split('\n').flatMap((line) => {
    const [source = '', place = '', type = '', options = ''] = line.split(' ')
    if (!source.startsWith('/dev/') || ['squashfs', 'iso9660', 'udf', 'erofs'].includes(type)) return []
    return [{ source, place, isReadOnly: options.split(',').includes('ro') }]
  })
}

/** What was written to before and is read-only now has had an error: that is what `errors=remount-ro` does. */
export function filesystemCondition(
  mounted: readonly MountedFilesystem[],
  wereWritable: ReadonlySet<string>,
): Condition {
  return conditionOf(
    mounted
      .filter(
        ({ source, isReadOnly }) =>
          isReadOnly &&
          wereWritable.has(source) &&
          !mounted.some((other) => other.source === source && !other.isReadOnly),
      )
      .map(({ source, place }) => ({ colour: 'red' as const, reason: `${source} on ${place} has become read-only` })),
  )
}

export interface LinkCounters {
  readonly packets: number
  readonly errors: number
}

const leastErrors = 10
const share = 0.01

/** Errors among the packets since the reading before. */
export function linkCondition(
  before: ReadonlyMap<string, LinkCounters>,
  now: ReadonlyMap<string, LinkCounters>,
): Condition {
  return conditionOf(
    [...now].flatMap(([name, { packets, errors }]) => {
      const earlier = before.get(name)
      if (earlier === undefined) return []
      const more = errors - earlier.errors
      const all = Math.max(0, packets - earlier.packets) + more
      if (more < leastErrors || more / all < share) return []
      return [{ colour: 'yellow' as const, reason: `${name} has errors in at least 1% of its packets` }]
    }),
  )
}

/** By device: whether its SMART status is good; devices that have none are not there. */
export function diskCondition(statuses: ReadonlyMap<string, boolean>): Condition {
  return conditionOf(
    [...statuses]
      .filter(([, isGood]) => !isGood)
      .map(([device]) => ({ colour: 'red' as const, reason: `SMART says that ${device} is failing` })),
  )
}
