/** Where crm_shadow keeps its copies: `CIB_shadow_dir`, or a folder of the daemon's data. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Shadows } from '../tool.ts'

type Environment = Readonly<Record<string, string | undefined>>

export function shadows(environment: Environment): Shadows {
  const folder = environment.CIB_shadow_dir ?? join(environment.SYSTOLE_ROOT ?? '/', 'var/lib/systole/shadow')
  const path = (name: string): string => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return join(folder, `shadow.${basename(name)}`)
  }
  return {
    active: environment.CIB_shadow ?? '',
    path,
    exists: (name) => existsSync(path(name)),
    remove: (name) => rmSync(path(name), { force: true }),
    edit: (file) => {
      const editor = environment.EDITOR ?? environment.VISUAL ?? 'vi'
      const ended = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
      if (ended.status !== 0) throw new Error(`the editor ${editor} did not end well: the copy may be as it was.`)
    },
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
