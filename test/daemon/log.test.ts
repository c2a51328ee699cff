import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { fieldsWithoutSecrets } from '../../src/daemon/host/log.ts'

test('secrets never enter the log, at whatever depth they come', () => {
  const logged = JSON.stringify(
    fieldsWithoutSecrets(
      {
        device: { parameters: { passwd: 'hunter2', ip: '192.0.2.1', password_script: '/usr/local/bin/ask' } },
        joinToken: 'hunter2',
        list: [{ secret: 'hunter2' }],
        map: new Map([['privateKey', 'hunter2']]),
      },
      0,
    ),
  )
  expect(logged).not.toContain('hunter2')
  expect(logged).toContain('192.0.2.1')
})

test('an error is logged with its cause', () => {
  const error = new Error('the store is away', { cause: new TypeError('no route') })
  expect(fieldsWithoutSecrets({ error }, 0)).toMatchObject({
    error: { message: 'the store is away', cause: { type: 'TypeError', message: 'no route' } },
  })
})

test.each([
  ['journal', ['<6>', '<4>', '<3>']],
  ['elsewhere', ['', '', '']],
  ['nowhere', ['', '', '']],
])('the journal is told how grave a line is, and nobody else: %s', (where, expected) => {
  const project = resolve(import.meta.dirname, '../..')
  const words = ['scripts/run.mjs', 'test/daemon/log-main.ts', where]
  const env = { ...process.env, SYSTOLE_LOG_TO: 'stdout' }
  const lines = execFileSync(process.execPath, words, { cwd: project, encoding: 'utf8', env }).trimEnd().split('\n')
  expect(lines.map((line) => line.slice(0, line.indexOf('{')))).toEqual(expected)
  const messages = lines.map((line) => (JSON.parse(line.slice(line.indexOf('{'))) as { readonly msg: string }).msg)
  expect(messages).toEqual(['an information', 'a warning', 'an error'])
})
