/** `npm run man -- FOLDER`: writes the manual pages into FOLDER/man7 and FOLDER/man8. Read them with `man -l`, or `man -M FOLDER systole`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import packageFile from '../package.json' with { type: 'json' }
import { refuse } from './arguments.ts'
import { systolePages, toolPages } from './man/pages.ts'
import { printPage } from './man/troff.ts'

const [folder = refuse('Usage: npm run man -- FOLDER')] = process.argv.slice(2)
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? Date.now() / 1000)
const date = new Date(epoch * 1000).toISOString().slice(0, 10)
for (const page of [...systolePages(), ...toolPages()]) {
  const below = join(resolve(folder), `man${page.number}`)
  mkdirSync(below, { recursive: true })
  writeFileSync(join(below, `${page.name}.${page.number}`), printPage(page, packageFile.version, date))
}
