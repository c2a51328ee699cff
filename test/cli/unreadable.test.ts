/** Files that cannot be read or written: the sentence has the file and the reason. */
import { expect, test } from 'vitest'
import { realTerminal } from '../../src/cli/call/terminal.ts'

const none = `${import.meta.dirname}/none/file`

test('a file that is not there is named, with the reason in words', async () => {
  await expect(realTerminal().readFile(none)).rejects.toThrow(`${none} cannot be read: no such file or directory.`)
  await expect(realTerminal().writeFile(none, '')).rejects.toThrow(
    `${none} cannot be written: no such file or directory.`,
  )
})
