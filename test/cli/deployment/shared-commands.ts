/** The deployment's commands, read where they lie. They are not part of the project: a test says so where they are missing. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { splitShellLine } from '../../../src/cli/call/shell-words.ts'

const folder = resolve(import.meta.dirname, '../../../../shared/osp-ha-deploy')
export const isThere = existsSync(join(folder, 'commands'))
export const missing = `${folder} is not there: the commands of osp-ha-deploy were not replayed`

export function commandLines(name: string): readonly (readonly string[])[] {
  return readFileSync(join(folder, 'commands', name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => splitShellLine(line).slice(1))
}

export function table(name: string): readonly Readonly<Record<string, string>>[] {
  const [head = '', ...rows] = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n')
  const names = head.split('\t')
  return rows.map((row) => {
    const cells = row.split('\t')
    return Object.fromEntries(names.map((column, index) => [column, cells[index] ?? '']))
  })
}
