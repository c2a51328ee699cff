/** `simulate --with`: commands that change the configuration, tried on a copy. They are the real ones, with their checks. */
import type { XmlElement } from '../../../cib/index.ts'
import type { ClusterAccess } from '../../call/access.ts'
import { type Call, changeFlags, Refusal } from '../../call/command.ts'
import { findCommand } from '../../call/tree.ts'
import { foreseeFlag } from '../../foresee/foresee.ts'
import { splitText } from '../../grammar/words.ts'

export interface Edits {
  readonly cib: XmlElement
  /** What was done, a line each. */
  readonly lines: readonly string[]
}

export async function tryEdits(call: Call, cib: XmlElement, commands: readonly string[]): Promise<Edits> {
  let current = cib
  const lines: string[] = []
  for (const command of commands) {
    const line = splitText(command)
    refuseOthers(call, command, line)
    const copy: ClusterAccess = {
      live: undefined,
      close: () => undefined,
      readCib: () => Promise.resolve({ cib: current, version: 0 }),
      push: (change) => {
        // The copy keeps its status: a change of the configuration does not touch it.
        current = change.cib
        return Promise.resolve({ kind: 'saved', version: 0 })
      },
    }
    const outcome = await call.runOn(line, copy)
    if (outcome.kind === 'refused')
      throw new Refusal(...outcome.sentences.map((sentence) => `--with '${command}': ${sentence}`))
    lines.push(`Running 'systole ${command}': ${outcome.text.trim().replaceAll('\n', ' ')}`)
  }
  return { cib: current, lines }
}

/** Only what changes the configuration can be tried: the rest would act, or answer into the void. */
function refuseOthers(call: Call, command: string, line: readonly string[]): void {
  const found = findCommand(call.commands, line)
  if (!found) throw new Refusal(`--with '${command}': unknown command. Write it without the word 'systole'.`)
  const isChange = (found.command.flags ?? []).some(
    (flag) => flag.name === changeFlags[0]?.name && flag !== foreseeFlag,
  )
  if (!isChange)
    throw new Refusal(`--with '${command}': systole ${found.command.path.join(' ')} does not change the configuration.`)
  const unfit = ['--preview', '--wait', '--json', '--help', '-h', '-f', '--file'].find((flag) =>
    line.some((word) => word === flag || word.startsWith(`${flag}=`)),
  )
  if (unfit !== undefined) throw new Refusal(`--with '${command}': ${unfit} has no effect here. Omit it.`)
}
