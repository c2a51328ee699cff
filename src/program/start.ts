/** What `dist/NAME.mjs` is of each command: it runs the code of that name. The build writes the name in. */
import { join } from 'node:path'
import { loadProgram } from './load.ts'

await loadProgram(join(import.meta.dirname, process.env.SYSTOLE_CODE ?? '')).main(process.argv.slice(2))
