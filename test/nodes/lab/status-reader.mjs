// Asks the daemons of a lab's nodes with the program `systole` itself, which stays loaded: a test that waits for a state asks many times, and
// each process of its own costs ten times as much. Arguments: the program's code. Messages of the parent: {id, root, words}, the folder that
// is `/` for the node, and what is asked; answers: {id, exitCode, output, errors}. Ends with its parent.
import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

const [file] = process.argv.slice(2)
// As the program does it (`src/program/load.ts`): compiled code is accepted only with the flags of its making.
setFlagsFromString('--interrupt-budget=800000')
const script = new Script(readFileSync(file, 'latin1'), {
  filename: file,
  cachedData: readFileSync(`${file}.compiled`),
})
const program = { exports: {} }
script.runInThisContext()(createRequire(file), program, dirname(file))

/** What is printed belongs to the question that it is printed for, whichever others are open. */
const printed = new AsyncLocalStorage()
for (const name of ['stdout', 'stderr']) {
  const stream = process[name]
  // Each run of the program begins to listen for a reader that goes away.
  stream.setMaxListeners(0)
  const write = stream.write.bind(stream)
  stream.write = (text, ...rest) => {
    const answer = printed.getStore()
    if (answer === undefined) return write(text, ...rest)
    answer[name] += text
    return true
  }
}

process.on('disconnect', () => process.exit(0))
process.on('message', async ({ id, root, words }) => {
  const answer = { stdout: '', stderr: '' }
  // The program reads it before it waits for anything.
  process.env.SYSTOLE_ROOT = root
  const exitCode = await printed.run(answer, () => program.exports.main(words))
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  process.send({ id, exitCode, output: answer.stdout, errors: answer.stderr })
})
