/** crm_simulate --profile: how long the scheduler takes for each CIB in a folder. */
import { reasonOf } from '../../base/index.ts'
import { element, parseXml, type XmlElement } from '../../cib/index.ts'
import { momentOf, simulateCib } from '../../scheduler/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { optionValue } from '../options.ts'
import { printed, refused, type ToolReply } from '../reply.ts'
import type { ParsedCall } from '../tool.ts'
import type { ToolWorld } from '../world.ts'

export function profile({ given, files }: ParsedCall, world: ToolWorld): ToolReply {
  const repeat = Number(optionValue(given, 'repeat') ?? 1)
  if (!Number.isInteger(repeat) || repeat < 1)
    return refused(exitCodes.usage, 'crm_simulate: --repeat takes a number from 1 on.')
  const folder = optionValue(given, 'profile') ?? ''
  const paths = cibsIn(folder, files)
  if (typeof paths === 'string') return refused(exitCodes.noInput, `crm_simulate: ${paths}`)
  const lines: string[] = []
  const timings: XmlElement[] = []
  for (const path of paths) {
    const cib = parseXml(files?.read(path) ?? '')
    if (!cib.ok) return refused(exitCodes.dataError, `crm_simulate: ${path} holds no CIB: ${cib.reports[0]?.message}.`)
    const began = performance.now()
    for (let times = 0; times < repeat; times++) schedule(cib.value, given, world)
    const seconds = ((performance.now() - began) / 1000).toFixed(2)
    lines.push(`  * Testing ${path} ... ${seconds} secs\n`)
    timings.push(element('timing', { file: path, duration: seconds }))
  }
  return printed(`Timings:\n${lines.join('')}`, [element('timings', {}, timings)])
}

/** A sentence where there are none. */
function cibsIn(folder: string, files: ParsedCall['files']): readonly string[] | string {
  try {
    const paths = files?.listXml(folder) ?? []
    return paths.length > 0 ? paths : `The folder ${folder} holds no files that end with .xml.`
  } catch (error) {
    return `The folder ${folder} cannot be read: ${reasonOf(error)}.`
  }
}

function schedule(cib: XmlElement, given: ParsedCall['given'], world: ToolWorld): void {
  const moment = momentOf(cib.attributes['execution-date'], optionValue(given, 'set-datetime'))
  simulateCib({
    cib,
    now: moment?.seconds ?? world.now(),
    md5: world.md5,
    showScores: false,
    isSanitized: true,
    keepsResult: false,
    failures: [],
    whatIf: {},
    planOnly: true,
    show: { attributes: false, failCounts: false, utilization: false },
  })
}
