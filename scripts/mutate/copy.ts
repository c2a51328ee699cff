/** Copies of the project, in which rules can be taken out while somebody works on the original. */
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders = ['src', 'test', 'scripts', 'proto', 'shims', 'agents', 'bin', 'docs', 'examples', 'packaging']
const copied = [...folders, 'README.md', 'package.json', 'tsconfig.json']

export function copyProject(project: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'systole-mutants-'))
  for (const name of copied)
    cpSync(join(project, name), join(folder, name), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
