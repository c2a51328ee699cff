/**
 * `node dist/compile-commands.mjs FILE`: compiles a command's code and lets it do some of its usual work, so that the functions that are
 * needed for it are compiled, too; what V8 has then is kept beside the file. The build does it, and the package on the host that it is installed on.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { compiledFile, loadProgram } from './load.ts'

const [file = ''] = process.argv.slice(2).map((name) => resolve(name))
const cib = join(dirname(file), 'sample.xml')
const work: Readonly<Record<string, readonly (readonly string[])[]>> = {
  systole: [
    ['simulate', '--simulate', '--show-scores', '--xml-file', cib],
    ['-f', cib, 'status'],
    ['-f', cib, 'config'],
    ['-f', cib, 'constraint', '--json'],
    ['resource', 'create', '--help'],
  ],
  'systole-jobs': [
    ['job', 'list'],
    ['job', 'run', '--all', '--', 'true'],
  ],
  'systole-tool': [
    ['crm_mon', '-1'],
    ['crm_resource', '--list'],
    ['crm_attribute', '--type', 'crm_config', '--name', 'stonith-enabled', '--query'],
    ['cibadmin', '--query'],
    ['crm_simulate', '--simulate', '--xml-file', cib],
  ],
}

const compiled = compiledFile(file)
// That of another source would be believed.
rmSync(compiled, { force: true })
const { main, script } = loadProgram(file)
process.env.CIB_file = cib
// On a host with a daemon, too, nothing is asked of it, and nothing done.
process.env.SYSTOLE_ROOT = join(dirname(file), 'no-such-root')
const endsWith = basename(file, '.cjs') === 'systole-jobs' ? 1 : 0
// That there is no daemon is known.
if (endsWith !== 0) Object.assign(process.stderr, { write: () => true })
for (const words of work[basename(file, '.cjs')] ?? []) {
  const exitCode = await main(words)
  if (exitCode !== endsWith) throw new Error(`${words.join(' ')}: exit code ${exitCode}`)
}
// Whole on the disk or not there: V8 does not see that some of it is missing.
const open = openSync(`${compiled}.new`, 'w')
writeFileSync(open, script.createCachedData())
fsyncSync(open)
closeSync(open)
renameSync(`${compiled}.new`, compiled)
if (!loadProgram(file).wasCompiled) throw new Error(`${compiled} is not accepted by the Node.js that wrote it`)
