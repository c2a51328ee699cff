/** The files of the caller. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { printable } from '../../base/index.ts'
import type { CallerFiles } from '../tool.ts'
import { told } from './caller-file-error.ts'
import { hostAgents } from './host-agents.ts'
import { archive } from './report-archive.ts'
import { shadows } from './shadows.ts'

export function callerFiles(environment: Readonly<Record<string, string | undefined>>): CallerFiles {
  return {
    agents: hostAgents(),
    environment,
    read: (path) => told(path, 'read', () => readFileSync(path === '-' ? 0 : path, 'utf8')),
    listXml: (folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.xml'))
        .sort()
        .map((name) => join(folder, name)),
    input: () => readFileSync(0, 'utf8'),
    write: (path, text) => {
      if (path === '-') process.stdout.write(printable(text))
      else told(path, 'written', () => writeWhole(path, text))
    },
    shadows: shadows(environment),
    archive: (report) => archive(report, environment),
  }
}

/** Written beside and renamed: a page that is loaded meanwhile is the old or the new one. */
function writeWhole(path: string, text: string): void {
  const isDevice = /^\/dev\/|^\/proc\//.test(path)
  writeFileSync(isDevice ? path : `${path}.new`, text)
  if (!isDevice) renameSync(`${path}.new`, path)
}
