import { expect, test } from 'vitest'
import { seededRandom } from '../../src/base/index.ts'
import { parseThoroughly, parseXmlPieces } from '../../src/cib/document.ts'
import { scanXml } from '../../src/cib/scan-xml.ts'

const plain = `<?xml version="1.0"?>
<!-- saved -->
<cib epoch="3" have-quorum='1'>
  <configuration><nodes><node id="1" uname="alpha"/> <node id="2" uname="beta" type="member"/></nodes>
    <resources>
      <primitive id="web" class="ocf" type="x"><instance_attributes id="web-ia">
        <nvpair id="a" name="cmd" value="a &amp;&amp; b &lt; &quot;c&quot;&#10;"/>
        <nvpair id="b" value="swapped" name="cmd"/><nvpair
          id="c" name="cmd"
          value=""/></instance_attributes></primitive>
    </resources>
    <!-- two
         lines --><constraints></constraints>
  </configuration>
  <status/>
</cib>
`

test('a plain document is read as the parser reads it, places included', () => {
  const scanned = scanXml([plain], 256)
  expect(scanned).toBeDefined()
  expect({ ok: true, value: scanned }).toEqual(parseThoroughly(plain))
})

test('a document is read the same in pieces, places included', () => {
  const tags = plain.split(/(?<=>)/)
  for (const length of [1, 2, 5]) {
    const pieces: string[] = []
    for (let at = 0; at < tags.length; at += length) pieces.push(tags.slice(at, at + length).join(''))
    expect({ ok: true, value: scanXml(pieces, 256) }).toEqual(parseThoroughly(plain))
  }
})

test('a document in pieces that are cut in the middle of a tag is left to the parser, which puts them together', () => {
  const pieces = ['<cib><a b="c', 'd"/></cib>']
  expect(scanXml(pieces, 256)).toBeUndefined()
  expect(parseXmlPieces(() => pieces)).toEqual(parseThoroughly(pieces.join('')))
})

test.each([
  ['text', '<a>text</a>'],
  ['CDATA', '<a><![CDATA[x]]></a>'],
  ['a document type', '<!DOCTYPE a><a/>'],
  ['a processing instruction', '<a><?php x?></a>'],
  ['another encoding', '<?xml version="1.0" encoding="latin1"?><a/>'],
  ['another version', '<?xml version="1.1"?><a/>'],
  ['a name beyond ASCII', '<é/>'],
  ['a name with a colon', '<a:b/>'],
  ['a character beyond the first plane', '<a b="😀"/>'],
  ['a line break in a value', '<a b="c\nd"/>'],
  ['carriage returns', '<a>\r\n</a>'],
  ['another entity', '<a b="&#x41;"/>'],
  ['blanks around an equals sign', '<a b = "c"/>'],
  ['an attribute that objects have already', '<a __proto__="c"/>'],
])('%s is left to the parser, which accepts it', (_, text) => {
  expect(scanXml([text], 256)).toBeUndefined()
  expect(parseThoroughly(text).ok).toBe(true)
})

test.each([
  ['nothing', ''],
  ['blanks', ' \n'],
  ['an open element', '<a><b></b>'],
  ['a start tag that ends with the text', '<a b="c"'],
  ['a value that ends with the text', '<a b="c'],
  ['a start tag without a name', '<>'],
  ['elements that overlap', '<a><b></a></b>'],
  ['an end tag of a longer name', '<a></ab>'],
  ['two roots', '<a/><a/>'],
  ['a doubled attribute', '<a b="c" b="c"/>'],
  ['a doubled attribute where the last element had it once', '<r><a b="1" c="2"/><a b="1" b="2"/></r>'],
  ['attributes without a blank between', '<a b="c"d="e"/>'],
  ['an attribute without a value', '<a b/>'],
  ['an attribute without quotes', '<a b=c/>'],
  ['a value with <', '<a b="<"/>'],
  ['a value with a bare &', '<a b="a & b"/>'],
  ['a control character', '<a b="\u0001"/>'],
  ['two dashes in a comment', '<a><!-- -- --></a>'],
  ['a comment that ends with the text', '<a><!-- '],
  ['a slash in a start tag', '<a / >'],
])('%s is left to the parser, which refuses it', (_, text) => {
  expect(scanXml([text], 256)).toBeUndefined()
  expect(parseThoroughly(text).ok).toBe(false)
})

test('elements that are nested too deep are left to the parser', () => {
  const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth)
  expect(scanXml([nested(4)], 4)).toBeDefined()
  expect(scanXml([nested(5)], 4)).toBeUndefined()
})

test('a document with a mistake is never read as another one', () => {
  const pieces = [
    '<',
    '>',
    '/',
    '"',
    "'",
    '=',
    ' ',
    '\n',
    '&',
    '&amp;',
    '<a/>',
    '<!--',
    '-->',
    'id',
    'id="a"',
    '-',
    'é',
    '\u0000',
  ]
  let read = 0
  for (let seed = 1; seed <= 4000; seed++) {
    const random = seededRandom(seed)
    const at = Math.floor(random() * plain.length)
    const piece = random() < 0.3 ? '' : (pieces[Math.floor(random() * pieces.length)] ?? '')
    const text = plain.slice(0, at) + piece + plain.slice(at + Math.floor(random() * 3))
    const scanned = scanXml([text], 256)
    if (scanned === undefined) continue
    read++
    expect({ ok: true, value: scanned }, `seed ${seed}`).toEqual(parseThoroughly(text))
  }
  expect(read).toBeGreaterThan(500)
})
