/** A command that is a playbook, as what runs it: `ansible-playbook` with one host, which is the node of the step, and its variables. */
import type { FieldPath } from '../base/index.ts'
import type { Meaning, PlaybookPlace, RolloutCommand } from './definition.ts'

type Fields = Readonly<Record<string, unknown>>
type Report = (path: FieldPath, sentence: string) => void

/** Which node it is shows only when the command begins. Without an inventory there is one host; on the node itself, that is reached as it is. */
const script = [
  'playbook=$1 inventory=$2 vars=$3 place=$4',
  '[ -n "$inventory" ] || inventory=$SYSTOLE_ROLLOUT_NODE,',
  'set --',
  '[ "$place" = node ] && set -- -c local',
  'exec ansible-playbook -i "$inventory" -l "$SYSTOLE_ROLLOUT_NODE" -e "$vars" "$@" "$playbook"',
].join('\n')

/** Mistakes in the options, which another attempt makes again. */
const ownExitCodes: Readonly<Record<string, Meaning>> = { '5': 'failed' }

const onlyWithPlaybook = ['playbook-on', 'inventory', 'vars', 'undo-playbook'] as const

/** What `playbook` and the fields around it say; nothing where the command is none. */
export function playbookOf(
  fields: Fields,
  path: FieldPath,
  report: Report,
): Pick<RolloutCommand, 'argv' | 'playbook' | 'undo' | 'undoPlaybook' | 'exitCodes'> | undefined {
  const { playbook, run, undo, inventory = '', vars = {} } = fields
  if (typeof playbook !== 'string') {
    if (run === undefined) report(path, 'Specify run, or playbook.')
    for (const name of onlyWithPlaybook)
      if (fields[name] !== undefined) report([...path, name], `'${name}' is for a playbook only.`)
    return undefined
  }
  if (run !== undefined) report([...path, 'run'], 'Specify run, or playbook, not both.')
  const undoPlaybook = fields['undo-playbook']
  if (undo !== undefined && undoPlaybook !== undefined)
    report([...path, 'undo-playbook'], 'Specify undo, or undo-playbook, not both.')
  const place = (fields['playbook-on'] ?? 'node') as PlaybookPlace
  if (place === 'dc' && undo !== undefined)
    report([...path, 'undo'], 'A playbook that runs on the DC is taken back by an undo-playbook.')
  const plays = (file: string): readonly string[] => [
    '/bin/sh',
    '-c',
    script,
    'systole-playbook',
    file,
    String(inventory),
    JSON.stringify(vars),
    place,
  ]
  return {
    argv: plays(playbook),
    playbook: { path: playbook, place },
    ...(typeof undoPlaybook === 'string' && { undo: plays(undoPlaybook), undoPlaybook }),
    exitCodes: ownExitCodes,
  }
}
