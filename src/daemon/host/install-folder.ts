/** Where this program is installed: the folder above dist/, with agents/ and shims/ in it. */
import { realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { defined } from '../../base/index.ts'

export const installFolder = (): string =>
  resolve(dirname(realpathSync(defined(process.argv[1], 'the path of the program'))), '..')

/** One of the bundles beside this program's own. */
export const programFile = (name: string): string => join(installFolder(), 'dist', `${name}.mjs`)
