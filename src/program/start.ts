/** What `dist/NAME.cjs` is of each command: it runs the code of that name. The build writes the name in. */
import { join } from 'node:path'
import { loadProgram } from './load.ts'

void loadProgram(join(__dirname, process.env.SYSTOLE_CODE ?? '')).main(process.argv.slice(2))
