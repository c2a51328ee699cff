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
