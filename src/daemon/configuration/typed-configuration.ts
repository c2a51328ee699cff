/** The configuration's text as the controller's view holds it: read once, whole. */
import { parseXml, readConfiguration } from '../../cib/index.ts'
import type { ReplicatedConfiguration } from '../../controller/index.ts'
import { type ConfigRecord, epochsOfRecord } from './config-history.ts'

export class UnreadableConfigurationError extends Error {
  override readonly name = 'UnreadableConfigurationError'
  constructor(version: number, message: string) {
    super(
      `Version ${version} of the configuration cannot be read (${message}). A newer version of Systole may have written it.`,
    )
  }
}

/** What is known of a version besides its text stands in the root element, as Pacemaker has it: who wrote it last, when, and how. */
export function typedConfiguration(
  text: Pick<ConfigRecord, 'version' | 'xml'> & Partial<ConfigRecord>,
): ReplicatedConfiguration {
  const parsed = parseXml(text.xml)
  if (!parsed.ok) throw new UnreadableConfigurationError(text.version, parsed.reports[0]?.message ?? '')
  const { time, user, node, command } = text
  const written = time === undefined ? Number.NaN : Date.parse(time)
  const origin = Number.isNaN(written)
    ? {}
    : {
        'cib-last-written': writtenAt(new Date(written)),
        'update-origin': node ?? '',
        'update-client': command?.split(' ')[0] ?? '',
        'update-user': user ?? '',
      }
  const { adminEpoch, epoch } = epochsOfRecord(text)
  const counted = { admin_epoch: String(adminEpoch), epoch: String(epoch) }
  const cib = { ...parsed.value, attributes: { ...parsed.value.attributes, ...counted, ...origin } }
  return { version: text.version, cib, typed: readConfiguration(cib) }
}

/** `Sat Nov 21 10:00:00 2026`, in the time of this host. */
function writtenAt(at: Date): string {
  const [day = '', month = '', date = '', year = '', clock = ''] = at.toString().split(' ')
  return `${day} ${month} ${date.replace(/^0/, ' ')} ${clock} ${year}`
}
