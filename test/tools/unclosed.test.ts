/** XML that a script wrote without its last end tag: beside Pacemaker 2.1, which takes it, and 3.0, which does not. */
import { expect, test } from 'vitest'
import { closed } from '../../src/tools/cib/unclosed.ts'

const cases: readonly { readonly name: string; readonly text: string; readonly ends: string | undefined }[] = [
  { name: 'an end tag is missing', text: '<a b="1"><c/>', ends: '<a b="1"><c/></a>' },
  { name: 'several are missing, the inner one first', text: '<a><b><c>', ends: '<a><b><c></c></b></a>' },
  { name: 'the only tag is not finished', text: '<a b="1"', ends: '<a b="1"></a>' },
  { name: 'an empty tag is not finished', text: '<a><b c="1" /', ends: '<a><b c="1" /></a>' },
  { name: 'the last end tag is not finished', text: '<a><b/></a', ends: '<a><b/></a>' },
  { name: 'nothing is missing', text: '<a><b/></a>', ends: undefined },
  { name: 'tags that cross are not understood', text: '<a><b></a>', ends: undefined },
  { name: 'a value that breaks off stays broken', text: '<a b="1', ends: undefined },
]
for (const { name, text, ends } of cases) test(name, () => expect(closed(text)).toBe(ends))
