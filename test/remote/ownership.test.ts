import { expect, test } from 'vitest'
import { nobody, ownedBy } from '../../src/remote/ownership.ts'

const cases = [
  { name: 'the first owner is obeyed', before: nobody, token: 5, owner: 'n1', obeyed: true },
  { name: 'a later one takes over', before: { highestToken: 5, owner: 'n1' }, token: 9, owner: 'n2', obeyed: true },
  {
    name: 'the same one connects again',
    before: { highestToken: 9, owner: 'n2' },
    token: 9,
    owner: 'n2',
    obeyed: true,
  },
  { name: 'an earlier one is refused', before: { highestToken: 9, owner: 'n2' }, token: 5, owner: 'n1', obeyed: false },
]

for (const { name, before, token, owner, obeyed } of cases)
  test(name, () =>
    expect(ownedBy(before, { highestToken: token, owner })).toEqual(
      obeyed ? { highestToken: token, owner } : undefined,
    ),
  )
