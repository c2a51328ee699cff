/**
 * Where crm_shadow keeps its copies: `CIB_shadow_dir`; else where Pacemaker has them for root, and below the caller's home for others, so that
 * programs which look there themselves find them.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import type { Shadows } from '../tool.ts'

type Environment = Readonly<Record<string, string | undefined>>

const isRoot = (): boolean => process.geteuid?.() === 0

export function shadows(environment: Environment): Shadows {
  const root = environment.SYSTOLE_ROOT ?? '/'
  const chosen = environment.CIB_shadow_dir
  const folder =
    chosen ??
    (isRoot() || environment.HOME === undefined ? join(root, 'var/lib/pacemaker/cib') : join(environment.HOME, '.cib'))
  // Copies that a build without this had made.
  const former = join(root, 'var/lib/systole/shadow')
  const path = (name: string): string => {
    const [present, old] = [folder, former].map((parent) => join(parent, `shadow.${name}`)) as [string, string]
    return chosen === undefined && !existsSync(present) && existsSync(old) ? old : present
  }
  return {
    active: environment.CIB_shadow ?? '',
    path,
    exists: (name) => existsSync(path(name)),
    remove: (name) => rmSync(path(name), { force: true }),
    canHold: (name) => {
      // A name with a slash belongs in a folder that nobody made.
      mkdirSync(folder, { recursive: true, mode: 0o750 })
      return existsSync(dirname(path(name)))
    },
    edit: (file) => edited(file, environment),
    shell: (name) => {
      if (!process.stdin.isTTY) return false
      spawnSync(environment.SHELL ?? '/bin/sh', [], {
        stdio: 'inherit',
        env: { ...environment, CIB_shadow: name, PS1: `shadow[${name}] # ` },
      })
      return true
    },
  }
}

function edited(file: string, { EDITOR: editor }: Environment): ReturnType<Shadows['edit']> {
  if (editor === undefined) return { exitCode: exitCodes.notConfigured, text: 'No value for EDITOR defined' }
  const ended =
    editor === '' ? { status: notFound } : spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (ended.status === notFound)
    return {
      exitCode: exitCodes.osFile,
      text: `Could not invoke EDITOR (${editor} ${file}): No such file or directory`,
    }
  return ended.status === 0
    ? undefined
    : { exitCode: ended.status ?? exitCodes.error, text: `${editor} did not end well: the copy may be as it was.` }
}

/** What a shell answers where there is no such program. */
const notFound = 127
