/** What stands out in the reports of several nodes. */
import { expect, test } from 'vitest'
import { analysis, events, type NodeReport } from '../../src/tools/report-analysis.ts'

function reported({ node, files }: { node: string; files: Readonly<Record<string, string>> }): NodeReport {
  const text = (file: string): string => files[file] ?? ''
  return { node, files: Object.keys(files), text, lines: (file) => text(file).split('\n') }
}

const cib = (name: string): string =>
  `<cib><configuration><nodes><node id="1" uname="${name}"/></nodes></configuration><status/></cib>`
const said = (time: string, level: string, msg: string, fields = {}): string =>
  JSON.stringify({ level, time: `2026-11-22T10:00:${time}Z`, node: 'x', ...fields, msg })

const alpha = {
  node: 'alpha',
  files: {
    'members.txt': '1 alpha member\n2 beta member\nquorum: yes\n',
    'cib.xml': cib('alpha'),
    'crm_mon.txt': '  * Last updated: now\n  * Online: [ alpha beta ]\n',
    'sysinfo.txt': 'Kernel release: 6.1\n',
    'cores.txt': '/var/crash/core.12 5 bytes, 2026-11-22T10:00:00.000Z\n',
    'crm_verify.txt': 'error: no fence device\n',
    'systoled.log': `${said('03', 'error', 'a call failed', { why: 'x' })}\n${said('01', 'info', 'daemon started')}\n`,
    messages: 'Nov 22 agent: ERROR: disk is full\nNov 22 agent: all is well\nNov 22 kernel: oops\n',
  },
}
const beta = {
  node: 'beta',
  files: {
    'members.txt': '1 alpha lost\n2 beta member\nquorum: yes\n',
    'cib.xml': cib('alpha'),
    'crm_mon.txt': '  * Last updated: later\n  * Online: [ alpha beta ]\n',
    'systoled.log': `Nov 22 beta systoled[7]: ${said('02', 'warn', 'a node is to be fenced')}\n{broken\n`,
  },
}

test('the analysis tells on what nodes disagree, and nothing where they agree', () => {
  const text = analysis([alpha, beta].map(reported), [])
  expect(text).toContain(
    'Differences of members.txt:\n  beta, compared with alpha:\n    - 1 alpha member\n    + 1 alpha lost\n',
  )
  expect(text).toContain('Differences of cib.xml:\n  none\n')
  expect(text).toContain('Differences of crm_mon.txt:\n  none\n')
  expect(text).toContain('Differences of sysinfo.txt:\n  beta has no sysinfo.txt\n')
})

test('a changed configuration and one that cannot be read are told', () => {
  const changed = { node: 'gamma', files: { ...alpha.files, 'cib.xml': cib('other') } }
  expect(analysis([alpha, changed].map(reported), [])).toMatch(
    /Differences of cib.xml:\n {2}gamma, compared with alpha:\n.*node\[@id='1'\]\n.*other/,
  )
  const broken = { node: 'gamma', files: { ...alpha.files, 'cib.xml': '<cib' } }
  expect(analysis([alpha, broken].map(reported), [])).toContain('    one of them cannot be read')
})

test('cores, mistakes and lines of trouble are told of each node', () => {
  const text = analysis([alpha, beta].map(reported), [/ERROR:/, /oops/])
  expect(text).toContain('Cores on alpha:\n  /var/crash/core.12')
  expect(text).toContain('Cores on beta:\n  none\n')
  expect(text).toContain('Mistakes in the configuration:\n  error: no fence device\n')
  expect(text).toContain('  messages: Nov 22 agent: ERROR: disk is full\n  messages: Nov 22 kernel: oops\n')
  expect(text).toContain('a call failed')
  expect(text).not.toContain('all is well')
  expect(text).not.toContain('daemon started')
})

test('what the daemons have said is told with its time, node and fields', () => {
  expect([...events([alpha, beta].map(reported))]).toEqual([
    '2026-11-22T10:00:03Z alpha error a call failed why="x"',
    '2026-11-22T10:00:01Z alpha info  daemon started',
    '2026-11-22T10:00:02Z beta  warn  a node is to be fenced',
  ])
})
