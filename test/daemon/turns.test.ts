import { expect, test } from 'vitest'
import { TooManyQuestionsError, Turns } from '../../src/daemon/access/turns.ts'

const tick = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve))

test('whoever asks much waits for his own questions, and everybody else for one of his', async () => {
  const turns = new Turns()
  const answered: string[] = []
  const ask = async (user: string, number: number): Promise<void> =>
    await turns.take(user, async () => {
      await tick()
      answered.push(`${user} ${number}`)
    })
  await Promise.all([
    ask('mallory', 1),
    ask('mallory', 2),
    ask('mallory', 3),
    ask('alice', 1),
    ask('bob', 1),
    ask('alice', 2),
  ])
  expect(answered).toEqual(['mallory 1', 'mallory 2', 'alice 1', 'bob 1', 'mallory 3', 'alice 2'])
})

test('a question that fails is that of one user alone, and there is an end to them', async () => {
  const turns = new Turns(2)
  const failing = turns.take('mallory', async () => await Promise.reject(new Error('too slow')))
  const others = [1, 2].map((number) => turns.take('mallory', async () => await Promise.resolve(number)))
  await expect(turns.take('mallory', async () => await Promise.resolve(3))).rejects.toThrow(TooManyQuestionsError)
  expect(await turns.take('alice', async () => await Promise.resolve('answered'))).toBe('answered')
  await expect(failing).rejects.toThrow('too slow')
  expect(await Promise.all(others)).toEqual([1, 2])
})
