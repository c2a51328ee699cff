/** What a configuration holds never reaches the terminal as it is. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const cib = `<cib crm_feature_set="3.16.1" validate-with="pacemaker-3.8" epoch="5" num_updates="0" admin_epoch="0"><configuration>
  <crm_config/><nodes/><resources>
    <primitive id="web" class="ocf" provider="pacemaker" type="Dummy">
      <instance_attributes id="p"><nvpair id="p1" name="fake" value="x&#x9b;31m&#x202e;y&#x85;"/></instance_attributes>
    </primitive>
  </resources><constraints/>
</configuration><status/></cib>`
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'systole-terminal-'))
  writeFileSync(join(folder, 'cib.xml'), cib)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function run(program: string, ...words: readonly string[]): string {
  const env = { ...process.env, CIB_file: join(folder, 'cib.xml') }
  const { stdout, stderr } = spawnSync(join(root, program), words, { encoding: 'utf8', env })
  return stdout + stderr
}

/** Letters, line feeds and tabs alone: what is not one of them is told as its number. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

test.each([
  ['bin/systole', ['-f', 'FILE', 'resource', 'config'], 'fake=x\\u009b31m\\u202ey'],
  ['bin/systole', ['-f', 'FILE', 'resource', 'config', '--json'], 'x\\u009b31m\\u202ey\\u0085'],
  ['bin/systole', ['-f', 'FILE', 'cluster', 'cib'], 'value="x&#x9B;31m&#x202E;y&#x85;"'],
  ['bin/systole', ['-f', 'FILE', 'resource', 'enable', 'x\u009b31m'], 'x\\u009b31m'],
  ['shims/cibadmin', ['-Q'], 'value="x&#x9B;31m&#x202E;y&#x85;"'],
  ['shims/crm_resource', ['-r', 'web', '-g', 'fake'], 'x\\u009b31m\\u202ey\\u0085'],
])('%s %j', (program, words, says) => {
  const printed = run(program, ...words.map((word) => (word === 'FILE' ? join(folder, 'cib.xml') : word)))
  expect(printed).toContain(says)
  expect(printed).not.toMatch(obeyed)
})
