import { expect, test } from 'vitest'
import { issueForAdded } from '../../src/daemon/api/join-token-api.ts'
import { refuse } from '../../src/rpc/index.ts'

test('a node that was added and got no token is not taken for one that was not added', async () => {
  const issue = (): Promise<never> => Promise.reject(refuse('no-key', 'No answer from n2.', 'Then try again.'))
  await expect(issueForAdded({ issue }, 'n3', { kind: 'unknown' })).rejects.toMatchObject({
    code: 'no-key',
    sentences: [
      'No answer from n2.',
      'Then try again.',
      'n3 was added, and has no token yet. When this is repaired: systole cluster token --node=n3',
    ],
  })
})
