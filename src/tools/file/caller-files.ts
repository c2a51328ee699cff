/** The files of the caller. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { printable } from '../../base/index.ts'
import type { CallerFiles } from '../tool.ts'
import { textUpTo } from './bounded-read.ts'
import { told } from './caller-file-error.ts'
import { hostAgents } from './host-agents.ts'
import { newestInstalledSchema } from './installed-schema.ts'
import { readTextFile } from './read-text.ts'
import { archive } from './report-archive.ts'
import { shadows } from './shadows.ts'
import { writeCallersFile } from './write-file.ts'

export function callerFiles(environment: Readonly<Record<string, string | undefined>>): CallerFiles {
  return {
    agents: hostAgents(),
    environment,
    isTerminal: process.stdout.isTTY,
    newestSchema: () => newestInstalledSchema(environment),
    read: (path) => told(path, 'read', () => readTextFile(path === '-' ? 0 : path)),
    listXml: (folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.xml'))
        .sort()
        .map((name) => join(folder, name)),
    input: () => told('Standard input', 'read', () => textUpTo(0)),
    write: (path, text, how) => {
      if (path === '-') process.stdout.write(printable(text))
      else told(path, 'written', () => writeCallersFile(path, text, how))
    },
    shadows: shadows(environment),
    archive: (report) => archive(report, environment),
  }
}
