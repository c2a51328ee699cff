/** The files of the caller, and crm_report's archive. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { CallerFiles, LogExcerpt } from '../tool.ts'
import { hostAgents } from './host-agents.ts'
import { shadows } from './shadows.ts'

export function callerFiles(environment: Readonly<Record<string, string | undefined>>): CallerFiles {
  return {
    agents: hostAgents(),
    read: (path) => readFileSync(path === '-' ? 0 : path, 'utf8'),
    input: () => readFileSync(0, 'utf8'),
    write: (path, text) => {
      if (path === '-') process.stdout.write(text)
      else writeWhole(path, text)
    },
    shadows: shadows(environment),
    archive: (dest, texts, log) =>
      archive(dest, { ...texts, 'config-history.txt': historyText(log), 'systoled.log': logText(environment, log) }),
  }
}

/** Written beside and renamed: a page that is loaded meanwhile is the old or the new one. */
function writeWhole(path: string, text: string): void {
  const isDevice = /^\/dev\/|^\/proc\//.test(path)
  writeFileSync(isDevice ? path : `${path}.new`, text)
  if (!isDevice) renameSync(`${path}.new`, path)
}

function archive(dest: string, texts: Readonly<Record<string, string>>): string {
  const target = `${resolve(dest)}.tar.gz`
  const folder = mkdtempSync(join(tmpdir(), 'crm-report-'))
  try {
    const name = basename(dest)
    mkdirSync(join(folder, name), { mode: 0o700 })
    for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, name, file), text, { mode: 0o600 })
    const made = spawnSync('tar', ['-czf', target, '-C', folder, name], { encoding: 'utf8' })
    if (made.status !== 0) throw new Error(`the archive ${target} could not be made: ${made.stderr}`)
    return target
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** From the journal, where there is one; from the log file of a daemon below SYSTOLE_ROOT otherwise. */
function logText(environment: Readonly<Record<string, string | undefined>>, { from, to, mask }: LogExcerpt): string {
  const range = [...(from === undefined ? [] : [`--since=@${from}`]), ...(to === undefined ? [] : [`--until=@${to}`])]
  const journal = spawnSync('journalctl', ['--no-pager', '--unit=systoled', ...range], { encoding: 'utf8' })
  if (journal.status === 0) return mask(journal.stdout)
  const file = join(environment.SYSTOLE_ROOT ?? '/', 'var/log/systole/systoled.log')
  try {
    return mask(readFileSync(file, 'utf8'))
  } catch {
    // A report without a log says so: it is still worth something.
    return `No log was found: neither journalctl --unit=systoled nor ${file}.\n`
  }
}

/** Every change of the configuration: who made it, when and by which command. */
function historyText({ mask }: LogExcerpt): string {
  const [program = 'node', script = ''] = process.argv
  const listed = spawnSync(program, [join(dirname(script), 'systole.mjs'), 'config', 'history'], { encoding: 'utf8' })
  return listed.status === 0 ? mask(listed.stdout) : `The cluster did not tell its history: ${mask(listed.stderr)}`
}
