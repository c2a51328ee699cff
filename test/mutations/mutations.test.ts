import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { mutations } from './mutations.ts'

const project = resolve(import.meta.dirname, '../..')

test('every rule that `npm run mutate` takes out stands in its file, once', () => {
  const wrong = Object.entries(mutations).flatMap(([file, list]) => {
    const source = readFileSync(join(project, file), 'utf8')
    return list.flatMap(([broken, text, instead]) => {
      const times = source.split(text).length - 1
      return times === 1 && text !== instead ? [] : [`${file}: ${broken}: ${times} times`]
    })
  })
  expect(wrong).toEqual([])
})

test('no rule is taken out in the same way twice', () => {
  const all = Object.entries(mutations).flatMap(([file, list]) =>
    list.map(([, text, instead]) => `${file}: ${text} > ${instead}`),
  )
  expect(new Set(all).size).toBe(all.length)
})
