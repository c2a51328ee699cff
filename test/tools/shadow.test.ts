/**
 * crm_shadow step by step, as a script calls it: Debian's program and ours on the same CIB in a file, and what only ours does
 * there, which is to bring the copy back.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

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

const steps = `
  for name in which file display diff; do r crm_shadow --$name; done
  r crm_shadow -b -c one; r crm_shadow -b -c one; r crm_shadow -b -c one --force
  export CIB_shadow=one
  r crm_shadow -w; r crm_shadow -F; r crm_attribute -n foo -v 3; r crm_shadow -d | sed 's/^Diff: .*/Diff:/'; r cibadmin -Q -o crm_config; r crm_shadow -p
  unset CIB_shadow
  r cibadmin -Q -o crm_config; r crm_shadow -C one; r crm_shadow -C none --force; r crm_shadow -b -r none
  r crm_shadow -b -s one; r crm_shadow -b -s none; r crm_shadow -D one; r crm_shadow -D one --force; r ls $CIB_shadow_dir
  r crm_shadow -b -e empty -v pacemaker-2.10; r cat $CIB_shadow_dir/shadow.empty
  export CIB_shadow=empty; r crm_resource -l; r crm_resource -L 2>/dev/null
  export CIB_shadow=none; r crm_shadow -p; r crm_shadow -F; r crm_shadow -d`

test('copies are made, worked on and thrown away as with Debian’s program', { timeout: 240_000 }, () => {
  const isInstalled = existsSync('/usr/sbin/crm_shadow')
  expect(isInstalled, 'pacemaker-cli-utils is missing: bash scripts/install.sh test').toBe(true)
  const ours = transcript(shims, steps)
  expect(ours).toContain('$ crm_shadow -w\none\n=> 0')
  expect(ours).toBe(transcript('/usr/sbin', steps))
})

test('what was done to a copy is shown, and comes back whole', { timeout: 60_000 }, () => {
  const printed = transcript(
    shims,
    'crm_shadow -b -c one; export CIB_shadow=one; crm_attribute -n foo -v 3; r crm_shadow -d; r crm_shadow -C one --force; r crm_shadow -d',
  )
  expect(printed).toMatch(/\n\+\+ \/cib\/.*: {2}<nvpair id="cib-bootstrap-options-foo" name="foo" value="3"\/>\n=> 1/)
  expect(printed).toMatch(/unset CIB_shadow\n=> 0\n[\s\S]*\$ crm_shadow -d\n/)
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

test('programs get the same as XML', { timeout: 60_000 }, () => {
  const printed = transcript(
    shims,
    `r crm_shadow -b -c one --output-as=xml; export CIB_shadow=one; crm_attribute -n foo -v 3
     for name in which file display diff; do r crm_shadow --$name --output-as=xml; done; r crm_shadow -C nosuch --force --output-as=xml`,
  )
  expect(printed).toMatch(/<instruction>[^<]*CIB_shadow=one/)
  expect(printed).toContain('<shadow instance="one"/>')
  expect(printed).toContain(`<shadow instance="one" file="${join(folder, 'shadows/shadow.one')}"/>`)
  expect(printed).toMatch(/<shadow instance="one">\n {4}<content>&lt;cib /)
  expect(printed).toMatch(/<xml-patchset>&lt;diff format="2"&gt;[\s\S]*name="foo" value="3"[\s\S]*=> 1\n/)
  expect(printed).toMatch(/<status code="105" [\s\S]*nosuch[\s\S]*=> 105\n$/)
})
