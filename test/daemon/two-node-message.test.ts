/** What one of two nodes says that it waits for: a command only where it helps. */
import { expect, test } from 'vitest'
import { nodeName } from '../../src/base/index.ts'
import { waitingMessage } from '../../src/daemon/two-node/two-node-message.ts'

const now = {
  other: nodeName('n1'),
  heartbeat: 'silent',
  quorate: false,
  holding: false,
  votes: true,
  complete: true,
} as const

for (const { what, more, says } of [
  { what: 'has quorum', more: { quorate: true, complete: false }, says: undefined },
  {
    what: 'has just joined and copies the store',
    more: { heartbeat: 'heard', complete: false },
    says: /copying the store from n1.*No action is needed/,
  },
  { what: 'has no data, and the other is off', more: { complete: false }, says: /Start n1\.$/ },
  {
    what: 'lost its vote to the other, which is there',
    more: { heartbeat: 'heard', votes: false },
    says: /rejoin automatically/,
  },
  {
    what: 'lost its vote to the other, which is off',
    more: { votes: false },
    says: /no vote and no data.*Start n1\.$/,
  },
  {
    what: 'has booted after a word, and the other is off',
    more: { holding: true },
    says: /Start it, or run `systole quorum unblock`/,
  },
  { what: 'has booted after a word, and asks the other', more: { holding: true, heartbeat: 'heard' }, says: undefined },
  { what: 'has everything, and hears nobody', more: {}, says: undefined },
] as const)
  test(`a node that ${what}`, () => {
    const said = waitingMessage({ ...now, ...more })
    if (says === undefined) expect(said).toBeUndefined()
    else expect(said).toMatch(says)
  })
