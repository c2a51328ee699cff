/** crm_shadow step by step, as a script calls it. `lines/crm_shadow.lines.txt` has the single calls. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { shadows } from '../../src/tools/file/shadows.ts'

const folder = mkdtempSync(join(tmpdir(), 'systole-shadow-'))
afterAll(() => rmSync(folder, { recursive: true }))
const cluster = join(import.meta.dirname, 'cases/cluster.xml')
const cib = join(folder, 'cib.xml')
const shims = join(import.meta.dirname, '../../shims')

/** What a script prints, each command with its exit code. */
function transcript(programs: string, script: string): string {
  rmSync(join(folder, 'shadows'), { recursive: true, force: true })
  copyFileSync(cluster, cib)
  const run = `r() { echo "$ $*"; "$@" </dev/null; echo "=> $?"; }; exec 2>&1; mkdir $CIB_shadow_dir; ${script}`
  const env = {
    HOME: folder,
    PATH: `${programs}:/usr/bin:/bin`,
    CIB_file: cib,
    CIB_shadow_dir: join(folder, 'shadows'),
    LC_ALL: 'C',
  }
  const output = execFileSync('bash', ['-c', run], { encoding: 'utf8', env })
  return output.replace(/crm_feature_set="[^"]*"/g, 'crm_feature_set="V"')
}

test('what was done to a copy is shown, and comes back whole', { timeout: 60_000 }, () => {
  const printed = transcript(
    shims,
    'crm_shadow -b -c one; export CIB_shadow=one; crm_attribute -n foo -v 3; r crm_shadow -d; r crm_shadow -C one --force; r crm_shadow -d',
  )
  expect(printed).toMatch(/\n\+\+ \/cib\/.*: {2}<nvpair id="cib-bootstrap-options-foo" name="foo" value="3"\/>\n=> 1/)
  expect(printed).toMatch(/\$ crm_shadow -C one --force\n=> 0\n\$ crm_shadow -d\n/)
  expect(readFileSync(cib, 'utf8')).toContain('name="foo" value="3"')
})

test('a copy is edited in $EDITOR; --all brings its whole CIB back, the recorded state too', {
  timeout: 60_000,
}, () => {
  const printed = transcript(
    shims,
    `crm_shadow -b -c one; export CIB_shadow=one EDITOR="sed -i s/test/edited/"; r crm_shadow --edit; crm_attribute -n cluster-name -q
     unset CIB_shadow; CIB_shadow=one crm_shadow --commit one --force >/dev/null; crm_attribute -n cluster-name -q
     export CIB_shadow=two; crm_shadow -b -c two --force; sed -i 's/name="pingd" value="[0-9]*"/name="pingd" value="77"/' "$(crm_shadow -F)"
     crm_shadow --commit two --force >/dev/null; unset CIB_shadow; grep -c 'value="77"' $CIB_file
     export CIB_shadow=three; crm_shadow -b -c three --force; sed -i 's/name="pingd" value="[0-9]*"/name="pingd" value="77"/' "$(crm_shadow -F)"
     crm_shadow --commit three --all --force >/dev/null; unset CIB_shadow; grep -c 'value="77"' $CIB_file`,
  )
  expect(printed).toMatch(/=> 0\nedited\nedited\n/)
  // Once without --all, once with it.
  expect(printed).toMatch(/\n0\n[\s\S]*\n2\n$/)
})

test('an empty CIB has the newest schema that is installed for programs to read it with', { timeout: 60_000 }, () => {
  const schemas = join(folder, 'schemas')
  mkdirSync(schemas)
  const create = 'crm_shadow -b -e one --force'
  const titleOf = (script: string): string | undefined => /Created new (\S+)/.exec(transcript(shims, script))?.[1]
  expect(titleOf(`export PCMK_schema_directory=${schemas}; ${create}`)).toBe('pacemaker-4.0')
  for (const version of ['1.2', '3.10', '3.9', 'next']) writeFileSync(join(schemas, `pacemaker-${version}.rng`), '')
  expect(titleOf(`export PCMK_schema_directory=${schemas}; ${create}`)).toBe('pacemaker-3.10')
  expect(titleOf(`export PCMK_schema_directory=${schemas}; ${create} --validate-with=pacemaker-3.1`)).toBe(
    'pacemaker-3.1',
  )
})

test('programs get the same as XML', { timeout: 60_000 }, () => {
  const printed = transcript(
    shims,
    `r crm_shadow -b -c one --output-as=xml; export CIB_shadow=one; crm_attribute -n foo -v 3
     for name in which file display diff; do r crm_shadow --$name --output-as=xml; done; r crm_shadow -C nosuch --force --output-as=xml`,
  )
  expect(printed).toMatch(/<instruction>[^<]*CIB_shadow=one/)
  expect(printed).toContain('<shadow instance="one"/>')
  expect(printed).toContain(`<shadow instance="one" file="${join(folder, 'shadows/shadow.one')}"/>`)
  expect(printed).toMatch(/<shadow instance="one">\n {4}<content><!\[CDATA\[<cib /)
  expect(printed).toMatch(/<xml-patchset><!\[CDATA\[<diff format="2">[\s\S]*name="foo" value="3"[\s\S]*=> 1\n/)
  expect(printed).toMatch(/<status code="105" [\s\S]*nosuch[\s\S]*=> 105\n$/)
})

test('a copy without a folder of its own lies where Pacemaker has them, and one that an older build made is still found', () => {
  const root = join(folder, 'root')
  const former = join(root, 'var/lib/systole/shadow')
  mkdirSync(former, { recursive: true })
  writeFileSync(join(former, 'shadow.old'), '<cib/>')
  const isRoot = process.geteuid?.() === 0
  const own = shadows({ SYSTOLE_ROOT: root, HOME: folder })
  expect(own.path('new')).toBe(join(isRoot ? join(root, 'var/lib/pacemaker/cib') : join(folder, '.cib'), 'shadow.new'))
  expect(own.path('old')).toBe(join(former, 'shadow.old'))
  expect(shadows({ SYSTOLE_ROOT: root, CIB_shadow_dir: '/elsewhere' }).path('old')).toBe('/elsewhere/shadow.old')
})
