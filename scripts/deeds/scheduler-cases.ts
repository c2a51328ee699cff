/**
 * Words of the CIB in Pacemaker's scheduler cases: a word has an effect where what the scheduler prints is another without it. The printed
 * answers are compared with Pacemaker's by `npm run conformance` and the tests of the scheduler.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseXml, type XmlElement } from '../../src/cib/index.ts'
import { simulateCib } from '../../src/scheduler/index.ts'
import type { Word } from './words.ts'

type Place = NonNullable<Word['inCib']>

/** How many cases are tried for a word. */
const tries = 40

export interface SchedulerCase {
  readonly name: string
  readonly text: string
}

export function schedulerCases(suite: string): readonly SchedulerCase[] {
  if (!existsSync(suite)) return []
  return readdirSync(suite)
    .filter((name) => name.endsWith('.xml'))
    .map((name) => ({ name: name.slice(0, -4), text: readFileSync(join(suite, name), 'utf8') }))
    .sort((a, b) => a.text.length - b.text.length)
}

export function caseWithEffect(place: Place, cases: readonly SchedulerCase[]): string | undefined {
  const mark = place.pair ? `name="${place.pair}"` : place.attribute ? ` ${place.attribute}="` : `<${place.element}`
  const holding = cases.filter(({ text }) => text.includes(mark)).slice(0, tries)
  return holding.find(({ text }) => {
    const document = parseXml(text)
    if (!document.ok) return false
    const without = taken(document.value, place)
    if (without === document.value) return false
    return notHandedOn(answer(document.value), place) !== notHandedOn(answer(without), place)
  })?.name
}

/** That a graph hands a pair on to who executes it, as it does with all of them, is no deed of that pair. */
const notHandedOn = (text: string, { pair }: Place): string =>
  pair === undefined
    ? text
    : text.replaceAll(new RegExp(` (?:CRM_meta_)?${pair.replaceAll('-', '[-_]')}="[^"]*"`, 'g'), '')

/** The same element where nothing was taken out. The recorded state stays as it is. */
function taken(root: XmlElement, place: Place): XmlElement {
  if (root.name === 'status') return root
  const { element, attribute, pair } = place
  const kept = root.children.filter(
    (child) =>
      child.kind !== 'element' ||
      (pair === undefined
        ? attribute !== undefined || child.name !== element
        : child.name !== 'nvpair' || child.attributes.name !== pair),
  )
  const children = kept.map((child) => (child.kind === 'element' ? taken(child, place) : child))
  const loses =
    attribute !== undefined && (element === undefined || root.name === element) && attribute in root.attributes
  const isSame =
    !loses && kept.length === root.children.length && children.every((child, at) => child === root.children[at])
  if (isSame) return root
  const attributes = loses
    ? Object.fromEntries(Object.entries(root.attributes).filter(([name]) => name !== attribute))
    : root.attributes
  return { ...root, attributes, children }
}

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex')

function answer(cib: XmlElement): string {
  try {
    const texts = simulateCib({
      cib,
      now: Number(cib.attributes['execution-date'] ?? 1_700_000_000),
      md5,
      showScores: true,
    })
    return texts.summary + texts.scores() + texts.graph()
  } catch (error) {
    return String(error)
  }
}
