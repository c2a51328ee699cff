/** What commands read from standard input, as scripts pipe it into them. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'systole-piped-'))
afterAll(() => rmSync(folder, { recursive: true }))
const shims = join(import.meta.dirname, '../../shims')
const programs = join(import.meta.dirname, '../../bin')
const cluster = join(import.meta.dirname, 'cases/cluster.xml')
const text = readFileSync(cluster, 'utf8')
const broken = text.replace('<constraints>', '<constraints><rsc_order id="o" first="nothing" then="web"/>')

function piped(command: string, ...words: readonly string[]) {
  const input = words.at(-1) ?? ''
  const env = { PATH: `${shims}:${programs}:/usr/bin:/bin`, CIB_file: join(folder, 'cib.xml') }
  copyFileSync(cluster, env.CIB_file)
  const { status, stdout, stderr } = spawnSync(command, words.slice(0, -1), { input, env, encoding: 'utf8' })
  return { code: status, said: stdout + stderr, cib: readFileSync(env.CIB_file, 'utf8') }
}

test('crm_verify judges it', { timeout: 60_000 }, () => {
  expect(piped('crm_verify', '--xml-pipe', '-V', broken)).toMatchObject({ code: 78 })
  expect(piped('crm_verify', '--xml-pipe', '-V', text)).toMatchObject({ code: 0 })
})

test('crm_simulate works on it', { timeout: 60_000 }, () => {
  const lost = text.replaceAll('crmd="online"', 'crmd="offline"').replaceAll('in_ccm="true"', 'in_ccm="false"')
  const { said } = piped('crm_simulate', '--xml-pipe', '--simulate', lost)
  expect(said).not.toBe(piped('crm_simulate', '--xml-pipe', '--simulate', text).said)
})

test('cibadmin puts it into the CIB', { timeout: 60_000 }, () => {
  const pair = '<nvpair id="cib-bootstrap-options-cluster-name" name="cluster-name" value="piped"/>'
  expect(piped('cibadmin', '--modify', '--xml-pipe', pair)).toMatchObject({
    code: 0,
    cib: expect.stringContaining('value="piped"'),
  })
})

test('crm_diff compares with it', { timeout: 60_000 }, () => {
  const other = text.replace('name="cluster-name" value="test"', 'name="cluster-name" value="other"')
  expect(piped('crm_diff', '--original', cluster, '--stdin', text).code).toBe(0)
  const { code, said } = piped('crm_diff', '--original', cluster, '--stdin', other)
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('value="other"') })
})

test('systole verify and simulate take a CIB, and simulate --batch the names of files', { timeout: 60_000 }, () => {
  expect(piped('systole', 'cluster', 'verify', '--xml-pipe', broken).said).toContain('nothing')
  expect(piped('systole', 'cluster', 'verify', '--xml-pipe', text).said).not.toContain('nothing')
  expect(piped('systole', 'simulate', '--xml-pipe', text).said).toContain('alpha')
  const [answer = '', ...more] = piped('systole', 'simulate', '--batch', `${cluster}\n`).said.trim().split('\n')
  expect(more).toEqual([])
  expect(JSON.parse(answer)).toMatchObject({ summary: expect.stringContaining('alpha') })
})
