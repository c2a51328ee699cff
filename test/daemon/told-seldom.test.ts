import { expect, test } from 'vitest'
import { detailsOf } from '../../src/rpc/grpc-server.ts'
import { unanswered } from '../../src/store/etcd/session.ts'
import { StoreUnavailableError } from '../../src/store/index.ts'

test('what the store could not do is a sentence, without the name of an exception and without a time below nothing', () => {
  const error = unanswered('save a change', -1328, undefined)
  expect(detailsOf(error)).toMatch(/^The store could not save a change in its time \(no member answered\)\./)
  expect(detailsOf(new StoreUnavailableError('The store is full.'))).toBe('The store is full.')
  expect(detailsOf(new TypeError('x is undefined'))).toBe('TypeError: x is undefined')
})
