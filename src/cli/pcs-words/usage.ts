/** How pcs answers a wrong call: the heading by which scripts know it, and the usage of our command below. */
import type { CallNames } from '../call/message.ts'

export const wholeUsage = 'Usage: pcs [-f file] [-h] [commands]...'

/** Areas whose usage is always shown as a whole. */
const asOne: Readonly<Record<string, string>> = {
  constraint: '[constraints]...',
  alert: '<command>',
  tag: '<command>',
  node: '<command>',
  quorum: '<command>',
  booth: '<command>',
  qdevice: '<command>',
  client: '<command>',
  dr: '<command>',
}

/** What follows `Usage: pcs` where an area as a whole is explained. */
export const areaHeading = (area: string): string => `${area} ${asOne[area] ?? '[commands]...'}`

/** Commands whose wrong call is answered by the usage of what they stand in. */
const headings: Readonly<Record<string, string>> = {
  'acl config': 'acl ...',
  'config show': 'config ...',
  'resource failcount': 'resource failcount ...',
  'stonith failcount': 'stonith failcount ...',
  'resource status': 'resource ...',
  'stonith status': 'stonith ...',
  'stonith level config': 'stonith level...',
  status: 'status ...',
}

/** Calls without any word that pcs answers by a sentence. */
const sentences: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['enable', 'disable', 'manage', 'unmanage'].map((verb) => [
      `resource ${verb}`,
      `You must specify resource(s) to ${verb}`,
    ]),
  ),
  'stonith enable': 'You must specify stonith resource(s) to enable',
  'stonith disable': 'You must specify stonith resource(s) to disable',
  'resource ban': 'must specify a resource to ban',
  'resource clear': 'must specify a resource to clear',
  'resource move': 'must specify a resource to move',
  'resource move-with-constraint': 'must specify a resource to move',
  'constraint ticket add': 'Ticket not specified',
}

export const sentenceInsteadOfUsage = ({ typed, words }: CallNames): string | undefined =>
  words.length === 0 ? sentences[typed] : undefined

/** The line by which the usage of a command is known, in help as well. */
export function headingOf(typed: string): string {
  const [area = ''] = typed.split(' ')
  return `Usage: pcs ${asOne[area] === undefined ? (headings[typed] ?? `${typed}...`) : areaHeading(area)}`
}

export function usageOf({ typed, usage }: Pick<CallNames, 'typed' | 'usage'>): readonly string[] {
  const [, ...rest] = typed.split(' ')
  return ['', headingOf(typed), `    ${[...rest, usage].join(' ').trim()}`]
}

/** Of words that name no command: the area that they lead to. */
export function usageBelow(known: readonly string[], isArea: boolean): readonly string[] {
  const [area] = known
  if (area === undefined) return ['', wholeUsage]
  const whole = asOne[area]
  if (whole !== undefined) return ['', `Usage: pcs ${area} ${whole}`]
  return ['', `Usage: pcs ${known.join(' ')}${isArea && known.length > 1 ? '...' : ' ...'}`]
}
