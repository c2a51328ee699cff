/** A running cluster with a distinct secret under each name that may hold one: neither its history, its log, its commands nor a report tell any. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Lab } from '../nodes/lab/lab.ts'

const lab = new Lab(['n1'])
const names = ['passwd', 'secret_key', 'apikey', 'community', 'private_key', 'api_credential', 'token', 'license']
const given = names.map((name) => `${name}=${name.replaceAll('_', '0')}-tellnobody`)

beforeAll(async () => {
  await lab.start()
  await lab.formCluster(['n1'])
  await lab.systole('n1', 'property', 'set', 'secret-names=lic*')
  await lab.systole('n1', 'resource', 'create', 'r', 'ocf:pacemaker:Dummy', ...given, '--force', '--wait')
  await lab.systole('n1', 'stonith', 'create', 'f', 'fence_dummy', ...given, '--force')
  await lab.systole('n1', 'resource', 'update', 'r', 'passwd=another-tellnobody', '--force', '--wait')
}, 120_000)
afterAll(() => lab.close(), 60_000)

const told = (text: string): readonly string[] => [...new Set(text.match(/\w+-tellnobody/g) ?? [])]

test.each([
  ['config', 'history'],
  ['config', 'history', '3'],
  ['config', 'diff', '1'],
  ['config', 'show'],
  ['status', '--full'],
  ['why', 'r'],
  ['simulate', '--json'],
])('systole %s %s tells none', async (...line) => {
  const said = await lab.systole('n1', ...line.filter((word) => word !== undefined))
  expect(said).not.toBe('')
  expect(told(said)).toEqual([])
})

test('a report tells none', async () => {
  await lab.inNode('n1', 'rm', '-rf', '/tmp/report.tar.gz')
  await lab.systole('n1', 'cluster', 'report', '/tmp/report')
  const text = await lab.inNode('n1', 'sh', '-c', 'tar -xzOf /tmp/report.tar.gz | strings')
  expect(text).toContain('resource create r')
  expect(told(text)).toEqual([])
})

test('whoever asks for them gets them', async () => {
  expect(told(await lab.systole('n1', 'resource', 'config', '--show-secrets'))).toHaveLength(names.length)
})

test('files of the daemon that hold one are readable for root alone', async () => {
  const open = await lab.inNode(
    'n1',
    'sh',
    '-c',
    'grep -rlsa tellnobody /var/lib/systole /etc/systole /run/systole /var/log 2>/dev/null | while read f; do d=$f; closed=; while [ "$d" != / ]; do case $(stat -c %a "$d") in *00) closed=1;; esac; d=$(dirname "$d"); done; [ "$closed" ] || echo "$f"; done; true',
  )
  expect(open.trim()).toBe('')
})
