import { describe, expect, test } from 'vitest'
import { compareDigests } from '../../src/status/index.ts'

type Entry = Parameters<typeof compareDigests>[0]

const digestOf = (text: string): string => `digest of ${text}`
const configured = {
  agent: { class: 'ocf', provider: 'heartbeat', type: 'Dummy' },
  parameters: { state: '/run/state' },
  hasOwnParameters: false,
  timeoutMs: () => 20_000,
} as const

const started = (status: number, attributes: Entry['attributes'] = {}): Entry =>
  ({ attributes, intervalMs: 0, status }) as Entry

describe('an entry without a digest', () => {
  test('does not tell with what it ran', () =>
    expect(compareDigests(started(0), configured, { md5: digestOf, isSanitized: false })).toBe('unknown'))
  test('will tell when it has ended', () =>
    expect(compareDigests(started(-1), configured, { md5: digestOf, isSanitized: false })).toBe('none'))
  test('that is under way tells what its restart digest tells', () =>
    expect(
      compareDigests(started(-1, { 'op-restart-digest': 'another' }), configured, {
        md5: digestOf,
        isSanitized: false,
      }),
    ).toBe('restart'))
})
