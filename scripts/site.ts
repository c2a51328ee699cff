/**
 * `npm run site -- FOLDER`: the documentation as a site of plain files, `site/` if no folder is named. Open its index.html, from a disk or from any web server;
 * the search works without one.
 */
import { resolve } from 'node:path'
import { buildSite } from './site/build.ts'

const folder = resolve(process.argv[2] ?? 'site')
const { pages, sections } = await buildSite(resolve(import.meta.dirname, '..'), folder)
process.stdout.write(`${pages} pages, ${sections} sections: ${folder}/index.html\n`)
