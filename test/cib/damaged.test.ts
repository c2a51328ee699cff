import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/index.ts'
import {
  composeCib,
  createPrimitive,
  deleteResources,
  describeCibReport,
  describeEditReport,
  diffConfiguration,
  enableResources,
  parseXml,
  printXml,
  readConfiguration,
  resourceElementsOf,
  sameDocument,
  splitCib,
  uncloneResource,
  validateCib,
  type XmlElement,
  type XmlNode,
} from '../../src/cib/index.ts'
import { havePacemakerCases, pacemakerCases } from '../support/pacemaker-cases.ts'

const words = ['', 'INFINITY', '-1', 'constructor', '__proto__', 'P10S', 'true', "a'b", '<&">', '\u00e9\n', '1e999']

/** The document with some of its attributes changed or gone, and some elements gone, doubled or renamed. */
function damaged(root: XmlElement, random: () => number, rate: number): XmlElement {
  const pick = <Item>(items: readonly Item[], otherwise: Item): Item =>
    items[Math.floor(random() * items.length)] ?? otherwise
  const damage = (element: XmlElement): XmlElement => {
    const attributes = Object.entries(element.attributes).flatMap(([name, value]) => {
      const luck = random()
      if (luck < rate / 3) return []
      if (luck < rate) return [[name, pick(words, '')] as const]
      return [[name, value] as const]
    })
    const children = element.children.flatMap((child): readonly XmlNode[] => {
      if (child.kind !== 'element') return [child]
      const luck = random()
      if (luck < rate / 4) return []
      if (luck < rate / 2) return [damage(child), damage(child)]
      if (luck < rate * 0.75) return [{ ...damage(child), name: pick(['primitive', 'rule', 'constructor', 'op'], 'x') }]
      return [damage(child)]
    })
    return { ...element, attributes: Object.fromEntries(attributes), children }
  }
  return damage(root)
}

test.runIf(havePacemakerCases)(
  'a damaged CIB is read, validated, compared, split and edited without an exception',
  () => {
    const folder = pacemakerCases
    const files = readdirSync(folder)
    expect(files.length).toBeGreaterThan(600)
    let reports = 0
    for (let seed = 1; seed <= 150; seed++) {
      const random = seededRandom(seed)
      const file = files[Math.floor(random() * files.length)] ?? ''
      const parsed = parseXml(readFileSync(new URL(file, folder), 'utf8'))
      if (!parsed.ok) throw new Error(file)
      const cib = damaged(parsed.value, random, 0.02 + random() * 0.2)
      const label = `seed ${seed}, ${file}`
      readConfiguration(cib)
      reports += validateCib(cib).map(describeCibReport).length
      composeCib({ ...splitCib(cib) })
      expect(diffConfiguration(cib, cib), label).toEqual([])
      const printed = parseXml(printXml(cib))
      expect(printed.ok && sameDocument(printed.value, cib), label).toBe(true)
      const ids = resourceElementsOf(cib).flatMap(({ attributes }) => attributes.id ?? [])
      const request = { id: 'new', agent: { class: 'lsb', type: 'x' }, parameters: {}, meta: {}, operations: [] }
      const results = [
        createPrimitive(cib, { ...request, advisedOperations: [] }),
        ...ids
          .slice(0, 5)
          .flatMap((id) => [
            deleteResources(cib, { ids: [id] }),
            uncloneResource(cib, { id }),
            enableResources(cib, { ids: [id] }),
          ]),
      ]
      for (const result of results) if (!result.ok) reports += result.reports.map(describeEditReport).length
    }
    expect(reports).toBeGreaterThan(1000)
  },
)
