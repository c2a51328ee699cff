import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  createPrimitive,
  deleteResources,
  describeChanges,
  diffConfiguration,
  parseXml,
  printXml,
  sameDocument,
  setResourceMeta,
  type XmlElement,
} from '../../src/cib/index.ts'
import { havePacemakerCases, pacemakerCases } from '../support/pacemaker-cases.ts'

function read(text: string): XmlElement {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.reports))
  return parsed.value
}

const primitive = (id: string, inner = ''): string => `<primitive id="${id}" class="lsb" type="x">${inner}</primitive>`
const meta = (value: string): string =>
  `<meta_attributes id="m"><nvpair id="p" name="priority" value="${value}"/></meta_attributes>`
const configuration = (resources: string): XmlElement =>
  read(`<cib epoch="1"><configuration><resources>${resources}</resources></configuration><status/></cib>`)

describe('the difference of two configurations', () => {
  const cases: readonly {
    readonly name: string
    readonly before: string
    readonly after: string
    readonly text: string
  }[] = [
    { name: 'of a configuration and itself is nothing', before: primitive('a'), after: primitive('a'), text: '' },
    {
      name: 'names the attribute that changed, with both values',
      before: primitive('a', meta('1')),
      after: primitive('a', meta('2')),
      text: `~ resources/primitive[@id='a']/meta_attributes[@id='m']/nvpair[@id='p']\n    value: "1" -> "2"\n`,
    },
    {
      name: 'shows what came and what went',
      before: primitive('a'),
      after: '<primitive id="b" class="lsb" type="y"/>',
      text:
        `- resources/primitive[@id='a']\n-   <primitive id="a" class="lsb" type="x"/>\n` +
        `+ resources/primitive[@id='b']\n+   <primitive id="b" class="lsb" type="y"/>\n`,
    },
    {
      name: 'shows another order of members',
      before: `<group id="g">${primitive('a')}${primitive('b')}</group>`,
      after: `<group id="g">${primitive('b')}${primitive('a')}</group>`,
      text: `~ resources/group[@id='g']\n    order: a, b -> b, a\n`,
    },
    {
      name: 'shows an attribute that is new and one that is gone',
      before: '<primitive id="a" class="lsb" type="x"/>',
      after: '<primitive id="a" class="ocf" provider="p" type="x"/>',
      text: `~ resources/primitive[@id='a']\n    class: "lsb" -> "ocf"\n    provider: not set -> "p"\n`,
    },
    {
      name: 'shows a remark that changed',
      before: primitive('a', '<!-- old -->'),
      after: primitive('a', '<!--new-->'),
      text: `~ resources/primitive[@id='a']\n    remark: "old" -> "new"\n`,
    },
  ]
  for (const { name, before, after, text } of cases)
    test(name, () => {
      const changes = diffConfiguration(configuration(before), configuration(after))
      expect(describeChanges(changes)).toBe(text)
      expect(sameDocument(configuration(before), configuration(after))).toBe(text === '')
    })

  test('of a document before and after an edit is that edit alone', () => {
    const before = configuration(primitive('a'))
    const edited = setResourceMeta(before, { id: 'a', meta: { priority: '5' } })
    if (!edited.ok) throw new Error('edited')
    expect(diffConfiguration(before, edited.value.cib).map(({ kind, path }) => [kind, path])).toEqual([
      ['added', "resources/primitive[@id='a']/meta_attributes[@id='a-meta_attributes']"],
    ])
  })

  test('of a resource created and deleted again is nothing', () => {
    const before = configuration(primitive('a'))
    const request = {
      id: 'b',
      agent: { class: 'lsb', type: 'y' },
      parameters: {},
      meta: {},
      operations: [],
      advisedOperations: [],
    }
    const created = createPrimitive(before, request)
    if (!created.ok) throw new Error('created')
    const deleted = deleteResources(created.value.cib, { ids: ['b'] })
    if (!deleted.ok) throw new Error('deleted')
    expect(diffConfiguration(before, deleted.value.cib)).toEqual([])
  })
})

test('documents that differ in the order of attributes and in white space say the same', () => {
  expect(sameDocument(read('<a x="1" y="2"><b/></a>'), read('<a y="2" x="1">\n <b/>\n</a>'))).toBe(true)
  expect(sameDocument(read('<a x="1"/>'), read('<a x="2"/>'))).toBe(false)
  expect(sameDocument(read('<a><b/><c/></a>'), read('<a><c/><b/></a>'))).toBe(false)
  expect(sameDocument(read('<a>t</a>'), read('<a/>'))).toBe(false)
})

test.runIf(havePacemakerCases)(
  'every XML file of the shared scheduler cases says the same after it was printed and read again',
  () => {
    const folder = pacemakerCases
    const files = readdirSync(folder)
    expect(files.length).toBeGreaterThan(600)
    for (const file of files) {
      const document = read(readFileSync(new URL(file, folder), 'utf8'))
      const again = read(printXml(document))
      expect(sameDocument(document, again), file).toBe(true)
      expect(printXml(again), file).toBe(printXml(document))
    }
  },
)
