import { expect, test } from 'vitest'
import { masked } from '../../src/fencing/masked.ts'

test('a secret is masked wherever it stands', () => {
  expect(masked('login with hunter2@bmc failed (hunter2x)', 'hunter2')).toBe(
    'login with [secret]@bmc failed ([secret]x)',
  )
})

test('of a short one only whole words are masked: the gaps in others would tell it', () => {
  expect(masked("Unable to log in with 'b': b is wrong", 'b')).toBe(
    "Unable to log in with '[secret]': [secret] is wrong",
  )
})
