/** Which fencing has ended since the last look: what crm_mon --watch-fencing tells of. */
import { childElement, childElements, type XmlElement } from '../../cib/index.ts'

export interface FencingNews {
  /** Who was fenced, or was to be. */
  readonly target: string
  readonly succeeded: boolean
  readonly description: string
}

/** What identifies each ended action. */
export type KnownFencing = ReadonlySet<string>

/** Of what `stonith_admin --history '*' --output-as=xml` prints, the oldest first. */
export function fencingNewsIn(
  result: XmlElement,
  known: KnownFencing | undefined,
): { readonly known: KnownFencing; readonly news: readonly FencingNews[] } {
  const list = childElement(result, 'list')
  const ended = (list === undefined ? [] : childElements(list, 'fence_event'))
    .map(({ attributes }) => attributes)
    .filter(({ status }) => status !== 'pending')
    .map((event) => ({ event, key: JSON.stringify(event) }))
  // What was there when it began is no news.
  const news = known === undefined ? [] : ended.filter(({ key }) => !known.has(key))
  return {
    known: new Set(ended.map(({ key }) => key)),
    news: news.map(({ event }) => newsOf(event)).reverse(),
  }
}

function newsOf({ target = '', action, client, origin, status }: XmlElement['attributes']): FencingNews {
  const succeeded = status === 'success'
  return {
    target,
    succeeded,
    description: `Operation ${action} requested by ${client}@${origin} for peer ${target}: ${succeeded ? 'OK' : 'Error'}`,
  }
}
