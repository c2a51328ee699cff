/** `simulate --profile`: how long each CIB of a folder takes. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '../../../base/index.ts'
import { type Surroundings, simulateFile } from '../../../scheduler/index.ts'
import { type Call, done, type Outcome, Refusal } from '../../call/command.ts'

interface Timing {
  readonly file: string
  /** Of all runs together, reading the file included. */
  readonly ms: number
  readonly error?: string
}

export function runProfile(call: Call, around: Surroundings): Promise<Outcome> {
  const folder = String(call.flags.get('profile'))
  const times = readRepeat(call)
  const timings = cibsIn(folder).map((file) => timingOf(file, times, around))
  const lines = timings.map(
    ({ file, ms, error }) => `  * Testing ${file} ... ${error ?? `${(ms / 1000).toFixed(2)} secs`}`,
  )
  const failed = timings.some(({ error }) => error !== undefined)
  return Promise.resolve(done(`Timings:\n${lines.join('\n')}\n`, { times, timings }, failed ? 1 : 0))
}

function readRepeat(call: Call): number {
  const text = call.flags.get('repeat') ?? '1'
  const times = Number(text)
  if (Number.isInteger(times) && times > 0) return times
  throw new Refusal(`'${text}' is not a number for --repeat. Specify 1 or more.`)
}

function cibsIn(folder: string): readonly string[] {
  let names: readonly string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    throw new Refusal(`The folder ${folder} cannot be read: ${reasonOf(error)}.`)
  }
  const files = names.filter((name) => name.endsWith('.xml')).sort()
  if (files.length === 0) throw new Refusal(`The folder ${folder} contains no CIB (*.xml).`)
  return files.map((name) => join(folder, name))
}

function timingOf(file: string, times: number, around: Surroundings): Timing {
  const begun = around.ticks()
  try {
    for (let run = 0; run < times; run++) simulateFile({ file, showScores: false }, around)
    return { file, ms: around.ticks() - begun }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { file, ms: around.ticks() - begun, error: message }
  }
}
