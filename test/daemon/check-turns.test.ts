import { expect, test, vi } from 'vitest'
import { CheckTurns } from '../../src/daemon/services/check-turns.ts'

/** Checks that hang, and checks that begin all at once. */
function begun(turns: CheckTurns, checks: readonly string[]) {
  const at: { readonly resource: string; readonly ms: number; readonly end: () => void }[] = []
  for (const resource of checks)
    void turns.within(
      { resource, signal: new AbortController().signal },
      async () => await new Promise<void>((end) => at.push({ resource, ms: performance.now(), end })),
    )
  return at
}

const many = (count: number, resource: (at: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, at) => resource(at))

test('at most 32 checks are under way, and each that ends lets another one begin', async () => {
  const at = begun(
    new CheckTurns(),
    many(40, (one) => `r${one}`),
  )
  await vi.waitFor(() => expect(at).toHaveLength(32), { timeout: 10_000 })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(at).toHaveLength(32)
  at[0]?.end()
  await vi.waitFor(() => expect(at).toHaveLength(33), { timeout: 10_000 })
  expect((at[31]?.ms ?? 0) - (at[0]?.ms ?? 0)).toBeGreaterThan(300)
})

test('checks of one resource that hang keep no other resource waiting', async () => {
  const at = begun(new CheckTurns(), [...many(100, () => 'hanging'), 'other'])
  await vi.waitFor(() => expect(at.some(({ resource }) => resource === 'other')).toBe(true), { timeout: 10_000 })
  expect(at).toHaveLength(9)
})

test('a check that nobody wants any more waits for no turn', async () => {
  const turns = new CheckTurns()
  begun(
    turns,
    many(8, () => 'hanging'),
  )
  const abort = new AbortController()
  const perform = vi.fn(() => Promise.resolve(1))
  const waiting = turns.within({ resource: 'hanging', signal: abort.signal }, perform)
  abort.abort()
  expect(await waiting).toBeUndefined()
  expect(perform).not.toHaveBeenCalled()
})
