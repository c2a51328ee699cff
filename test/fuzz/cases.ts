/** Pacemaker's cases, each of which is read when it is first drawn. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseXml } from '../../src/cib/index.ts'
import { type Tree, toTree } from './cib-tree.ts'
import type { Case } from './fuzz.ts'

export const suite = resolve(import.meta.dirname, '../../../shared/pacemaker-scheduler/xml')

/** Those whose name contains a text. */
export function readCases(part: string): readonly Case[] {
  return readdirSync(suite)
    .filter((file) => file.endsWith('.xml') && file.includes(part))
    .sort()
    .map((file) => lazily(file.replace(/\.xml$/, ''), join(suite, file)))
}

function lazily(name: string, path: string): Case {
  let cib: Tree | undefined
  return {
    name,
    get cib() {
      if (cib !== undefined) return cib
      const parsed = parseXml(readFileSync(path, 'utf8'))
      if (!parsed.ok) throw new Error(`${path} is malformed.`)
      cib = toTree(parsed.value)
      return cib
    },
  }
}
