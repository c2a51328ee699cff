/** The parts of the differential test of the commands that need no installed Pacemaker. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseXml } from '../../src/cib/index.ts'
import { allTools } from '../../src/tools/command/all-tools.ts'
import { toTree } from './cib-tree.ts'
import { createRandom } from './random.ts'
import { compareToolAnswers } from './tool-calls/compare.ts'
import { toolForms } from './tool-calls/forms.ts'
import { drawCall } from './tool-calls/fuzz.ts'
import { runOurs } from './tool-calls/run.ts'
import { drawWords } from './tool-calls/template.ts'

const text = `<cib validate-with="pacemaker-3.9" epoch="3" num_updates="0" admin_epoch="0"><configuration><crm_config/>
  <nodes><node id="1" uname="n1"/></nodes>
  <resources><primitive id="a" class="ocf" provider="pacemaker" type="Dummy"/></resources><constraints/></configuration><status/></cib>`

function cases() {
  const parsed = parseXml(text)
  if (!parsed.ok) throw new Error('the CIB of this test is malformed')
  return [{ name: 'small', cib: toTree(parsed.value) }]
}

const drawing = { cases: cases(), tool: undefined, originals: [], folder: '' }

test('a template is typed with its choices made, and a blank in a value separates no words', () => {
  const typed = new Set<string>()
  for (let seed = 1; seed <= 50; seed++)
    typed.add(drawWords('-r {resource} (-W|--locate) [-Q]', createRandom(seed), (kind) => `the ${kind}`).join('_'))
  expect([...typed].sort()).toEqual([
    '-r_the resource_--locate',
    '-r_the resource_--locate_-Q',
    '-r_the resource_-W',
    '-r_the resource_-W_-Q',
  ])
})

test('every template is well formed, and of a tool that there is', () => {
  for (const [tool, { forms }] of Object.entries(toolForms)) {
    expect(allTools.map(({ name }) => name)).toContain(tool)
    for (const form of forms)
      expect(
        drawWords(form, createRandom(1), () => 'x'),
        form,
      ).not.toContain('')
  }
})

test('the same seed draws the same call', () => {
  for (let seed = 1; seed <= 20; seed++) expect(drawCall(drawing, seed)).toEqual(drawCall(drawing, seed))
  expect(drawCall(drawing, 1)).not.toEqual(drawCall(drawing, 2))
})

test('a call is answered in a folder of its own, and its files are compared as XML', async () => {
  const [folder, before] = [mkdtempSync(join(tmpdir(), 'systole-tool-calls-')), process.cwd()]
  try {
    const call = { tool: 'crm_attribute', environment: {}, words: ['-n', 'x', '-v', '1'] }
    const answer = await runOurs(call, { 'cib.xml': text }, join(folder, 'run'))
    expect(answer.code).toBe(0)
    expect(answer.files['cib.xml']).toContain('name="x"')
    const written = { ...answer, files: { 'cib.xml': (answer.files['cib.xml'] ?? '').replaceAll(/\n\s*/g, ' ') } }
    expect(compareToolAnswers(answer, written)).toEqual([])
    expect(compareToolAnswers(answer, { ...answer, code: 1, output: 'x\n' })).toEqual([
      { aspect: 'exit code', onlyTheirs: ['0'], onlyOurs: ['1'] },
      { aspect: 'output', onlyTheirs: [], onlyOurs: ['x'] },
    ])
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
  }
})
