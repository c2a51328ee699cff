/** What an error says of its cause: a program that is wrong, or the world outside. */
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AssertionError, assert, isDefect, OutsideError, reasonOf } from '../../src/base/index.ts'
import { detailsOf } from '../../src/rpc/grpc-server.ts'
import { NoAnswerError, UnreachableError } from '../../src/rpc/report.ts'
import { isStoreFailure, StoreTimeoutError, StoreUnavailableError } from '../../src/store/index.ts'

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

const defects = [
  thrownBy(() => assert(false, 'a node has one name')),
  thrownBy(() => JSON.parse('{')),
  thrownBy(() => (undefined as never as { name: string }).name),
  thrownBy(() => new Array(-1)),
  thrownBy(() => decodeURI('%')),
]

test.each(defects)('%s is a defect, and shown with its kind', (error) => {
  expect(isDefect(error)).toBe(true)
  expect(isStoreFailure(error)).toBe(false)
  expect(detailsOf(error)).toBe(`${(error as Error).name}: ${(error as Error).message}`)
})

const failures = [
  new StoreTimeoutError('No answer.'),
  new StoreUnavailableError('Not reached.'),
  new UnreachableError('Nobody there.', true, undefined),
  new NoAnswerError('Lost.', undefined),
]

test.each(failures)('%s may pass, and its sentence is enough', (error) => {
  expect(isDefect(error)).toBe(false)
  expect(error).toBeInstanceOf(OutsideError)
  expect(detailsOf(error)).toBe(error.message)
  expect(isStoreFailure(error)).toBe(error.name.startsWith('Store'))
})

test('an error of the system is neither', () => {
  const error = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
  expect([isDefect(error), isStoreFailure(error), error instanceof AssertionError]).toEqual([false, false, false])
})

test('of an error of the system people get the reason, and neither its code nor its call', () => {
  const none = join(import.meta.dirname, 'none')
  expect(reasonOf(thrownBy(() => readFileSync(none)))).toBe('no such file or directory')
  expect(reasonOf(thrownBy(() => readFileSync(import.meta.dirname)))).toBe('illegal operation on a directory')
  expect(reasonOf(thrownBy(() => renameSync(none, `${none}, too`)))).toBe('no such file or directory')
  expect(reasonOf(new Error('A: a sentence, which has commas'))).toBe('A: a sentence, which has commas')
})
