import { expect, test } from 'vitest'
import { isTermOver } from '../../src/fencing/index.ts'

for (const [what, dc, action, over] of [
  ['while nobody is known to lead', undefined, 'off', false],
  ['of the DC that leads', { term: 5 }, 'reboot', false],
  ['of a former DC', { term: 6 }, 'reboot', true],
  ['of a former DC, to switch on what it has switched off', { term: 6 }, 'on', false],
] as const)
  test(`a demand ${what} is ${over ? 'not carried out' : 'carried out'}`, () => {
    expect(isTermOver(dc, { action, term: 5 })).toBe(over)
  })
