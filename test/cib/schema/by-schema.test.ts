/**
 * What may be written under which schema, held against Pacemaker's own RelaxNG: a configuration with every element there is, with one thing
 * after the other changed in it, under each schema.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseXml, printXml, schemaMistakes, type XmlElement, type XmlNode } from '../../../src/cib/index.ts'

const schemas = '/usr/share/pacemaker'
/** Each is the last of its kind, or brings words in. */
const versions = ['3.9', '3.7', '3.5', '3.3', '3.1', '3.0', '2.10', '2.8', '2.6', '2.0', '1.3', '1.2']

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-schema-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function read(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return parsed.value
}
const everything = read(readFileSync(join(import.meta.dirname, 'everything.xml'), 'utf8'))

interface Variant {
  readonly what: string
  readonly cib: XmlElement
}

const oddValues = [
  '',
  'x',
  '1',
  '-1',
  '1.5',
  'true',
  'TRUE',
  'INFINITY',
  'Promoted',
  'promoted',
  'a b',
  'fence',
  'demote',
  'stop',
]

/** The document with one thing changed, for each thing and each change. */
function* variants(root: XmlElement, rebuild: (changed: XmlElement) => XmlElement): Generator<Variant> {
  const name = `${root.name} ${root.attributes.id ?? ''}`
  for (const [attribute, value] of Object.entries(root.attributes)) {
    const { [attribute]: _, ...others } = root.attributes
    yield { what: `${name} without ${attribute}`, cib: rebuild({ ...root, attributes: others }) }
    for (const odd of oddValues)
      if (odd !== value)
        yield {
          what: `${name} ${attribute}=${odd}`,
          cib: rebuild({ ...root, attributes: { ...root.attributes, [attribute]: odd } }),
        }
  }
  for (const [attribute, value] of [
    ['bogus', '1'],
    ['description', 'd'],
    ['score', '1'],
    ['role', 'Started'],
    ['id-ref', 'web-m'],
    ['requires', 'fencing'],
    ['provider', 'x'],
    ['rsc', 'web'],
    ['kind', 'Optional'],
    ['end', '2027-01-01'],
    ['interval-origin', 'x'],
  ] as const)
    if (root.attributes[attribute] === undefined)
      yield {
        what: `${name} with ${attribute}`,
        cib: rebuild({ ...root, attributes: { ...root.attributes, [attribute]: value } }),
      }
  const elements = root.children.filter((child): child is XmlElement => child.kind === 'element')
  for (const child of elements) {
    const withChild = (...put: readonly XmlNode[]): XmlElement =>
      rebuild({ ...root, children: root.children.flatMap((other) => (other === child ? put : [other])) })
    yield { what: `${name} without ${child.name}`, cib: withChild() }
    yield { what: `${name} with two ${child.name}`, cib: withChild(child, withoutIds(child)) }
    yield {
      what: `${name} with ${child.name} last`,
      cib: rebuild({ ...root, children: [...elements.filter((other) => other !== child), child] }),
    }
    yield* variants(child, (changed) => withChild(changed))
  }
}

/** A copy that takes nobody's id. */
let copies = 0
function withoutIds(element: XmlElement): XmlElement {
  const { id } = element.attributes
  const children = element.children.map((child) => (child.kind === 'element' ? withoutIds(child) : child))
  if (id === undefined || ['resource_ref', 'role', 'obj_ref'].includes(element.name)) return { ...element, children }
  return { ...element, attributes: { ...element.attributes, id: `copy-${++copies}` }, children }
}

/** Without what the schema does not have yet, and as little else as can be, so that the rest is looked at. */
function presentable(element: XmlElement, schema: string): XmlElement {
  let current = as(element, schema)
  for (let known = schemaMistakes(current).length; known > 0; known = schemaMistakes(current).length) {
    const smallest = [...removals(current, (changed) => changed)]
      .sort((a, b) => a.size - b.size)
      .find(({ cib }) => schemaMistakes(cib).length < known)
    if (smallest === undefined) throw new Error(`nothing can be left out for ${schema}`)
    current = smallest.cib
  }
  return current
}

/** The document without one of its attributes or elements below the head, and how much that is. */
function* removals(
  root: XmlElement,
  rebuild: (changed: XmlElement) => XmlElement,
): Generator<{ readonly cib: XmlElement; readonly size: number }> {
  for (const child of root.children) {
    if (child.kind !== 'element') continue
    const put = (...nodes: readonly XmlNode[]): XmlElement =>
      rebuild({ ...root, children: root.children.flatMap((other) => (other === child ? nodes : [other])) })
    yield { cib: put(), size: printXml(child).length }
    for (const attribute of Object.keys(child.attributes)) {
      const { [attribute]: _, ...attributes } = child.attributes
      yield { cib: put({ ...child, attributes }), size: 1 }
    }
    yield* removals(child, (changed) => put(changed))
  }
}

const as = (cib: XmlElement, schema: string): XmlElement => ({
  ...cib,
  attributes: { ...cib.attributes, 'validate-with': `pacemaker-${schema}` },
})

/** Which of the files Pacemaker's schema takes. */
function takenBy(schema: string, cibs: readonly XmlElement[]): readonly boolean[] {
  const paths = cibs.map((cib, index) => {
    const path = join(folder, `${index}.xml`)
    writeFileSync(path, printXml(cib))
    return path
  })
  const rng = join(schemas, `pacemaker-${schema}.rng`)
  const { stderr } = spawnSync('xmllint', ['--noout', '--relaxng', rng, ...paths], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const taken = new Set(stderr.split('\n').flatMap((line) => (line.endsWith(' validates') ? [line.split(' ')[0]] : [])))
  return paths.map((path) => taken.has(path))
}

test('the schemas are installed', () =>
  expect(existsSync(`${schemas}/pacemaker-3.9.rng`), 'pacemaker-common is missing: bash scripts/install.sh test').toBe(
    true,
  ))

/** From the newest schema to the oldest: each begins with what is left of the one before. */
let start = everything
for (const version of versions)
  test(`what the schema ${version} takes is what may be written under it`, { timeout: 60_000 }, () => {
    start = presentable(start, version)
    expect(schemaMistakes(start)).toEqual([])
    const [configuration] = start.children.filter(
      (child): child is XmlElement => child.kind === 'element' && child.name === 'configuration',
    )
    if (configuration === undefined) throw new Error('no configuration')
    const changed = variants(configuration, (made) => ({
      ...start,
      children: start.children.map((child) => (child === configuration ? made : child)),
    }))
    // Every schema looks at other ones: all of them together would take minutes.
    const share = process.env.ALL_VARIANTS === undefined ? versions.length * 3 : 1
    const all = [
      { what: 'as it is', cib: start },
      ...[...changed].filter((_, index) => index % share === versions.indexOf(version) % share),
    ]
    const taken = takenBy(
      version,
      all.map(({ cib }) => cib),
    )
    const wrong = all.flatMap(({ what, cib }, index) => {
      const mistakes = schemaMistakes(cib)
      return (mistakes.length === 0) === taken[index]
        ? []
        : [`${what}: ${taken[index] ? `valid, but ${mistakes[0]}` : 'not valid'}`]
    })
    expect(wrong).toEqual([])
    expect(taken.filter(Boolean).length).toBeGreaterThan(20)
  })
