/**
 * A program's code as V8 compiled it when it was built. A command is short, and to compile a megabyte of source takes longer
 * than most commands have to do. Where the compiled code is missing, or made for another Node.js, the source is compiled as ever.
 * V8 does not compare it with the source but for its length: both are written by one build.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

export interface Program {
  /** Runs it, and resolves to its exit code. */
  readonly main: (words: readonly string[]) => Promise<number>
  readonly script: Script
  /** The compiled code was there and fits. */
  readonly wasCompiled: boolean
}

interface Module {
  readonly exports: { readonly main?: Program['main'] }
}

type Require = (name: string) => object

type Wrapper = (require: Require, module: Module, folder: string) => void

/** `file` holds one function that defines a CommonJS module; beside it lies its compiled code. */
export function loadProgram(file: string): Program {
  // A command is over before most optimized code pays for its making: V8 waits for some six times as much use of a function
  // first. A simulation of 1,000 resources then takes a third less CPU, and one of 5,000 a sixth.
  setFlagsFromString('--interrupt-budget=800000')
  const cachedData = compiledCode(file)
  // The build leaves no other characters than ASCII, which are read several times faster like this.
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData && { cachedData }) })
  const define: Wrapper = script.runInThisContext()
  const module: Module = { exports: {} }
  define(whenUsed(createRequire(file)), module, dirname(file))
  const { main } = module.exports
  if (main === undefined) throw new TypeError(`${file} exports no main.`)
  return { main, script, wasCompiled: script.cachedDataRejected === false }
}

/** Node's own modules are loaded when something of them is used: of those that a program knows a command needs few. */
function whenUsed(load: Require): Require {
  const late = (name: string): object => new Proxy({}, { get: (_, member) => Reflect.get(load(name), member) })
  return (name) => (name.startsWith('node:') ? late(name) : load(name))
}

export const compiledFile = (file: string): string => `${file}.compiled`

function compiledCode(file: string): Buffer | undefined {
  try {
    return readFileSync(compiledFile(file))
  } catch {
    return undefined
  }
}
