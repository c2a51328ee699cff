/**
 * Completion for bash and zsh. The shells call `systole completion words -- <words typed so far>`; the scripts that they
 * load are a few lines, so that what is offered always fits the commands that are installed.
 */
import type { Command, Completion, Flag } from './command.ts'
import { commonFlags } from './command.ts'
import { findCommand, nextWords } from './tree.ts'

export interface CompletionSources {
  readonly candidates: (kind: Exclude<Completion, { readonly words: readonly string[] }>) => Promise<readonly string[]>
}

/** What could stand where the last word is being typed. */
export async function completeLine(
  commands: readonly Command[],
  typed: readonly string[],
  sources: CompletionSources,
): Promise<readonly string[]> {
  const before = typed.slice(0, -1)
  const current = typed.at(-1) ?? ''
  const candidates = [...nextWords(commands, before), ...(await argumentCandidates(commands, before, current, sources))]
  return [...new Set(candidates)].filter((candidate) => candidate.startsWith(current)).sort()
}

async function argumentCandidates(
  commands: readonly Command[],
  before: readonly string[],
  current: string,
  sources: CompletionSources,
): Promise<readonly string[]> {
  const found = findCommand(commands, before)
  if (!found) return []
  const flags = [...(found.command.flags ?? []), ...commonFlags]
  const valued = valuedFlag(flags, before, current)
  if (valued?.flag.completes !== undefined)
    return (await candidatesFor(valued.flag.completes, sources)).map((candidate) => `${valued.prefix}${candidate}`)
  if (current.startsWith('-')) return flags.map((flag) => `--${flag.name}`)
  const hints = found.command.completes ?? []
  const position = found.rest.filter((word) => !word.startsWith('-')).length
  const hint = hints[Math.min(position, hints.length - 1)]
  return hint === undefined ? [] : candidatesFor(hint, sources)
}

async function candidatesFor(hint: Completion, sources: CompletionSources): Promise<readonly string[]> {
  return typeof hint === 'object' ? hint.words : await sources.candidates(hint)
}

/** The flag whose value is typed: after a blank, after `=` in one word, or in the three words that bash makes of that. */
function valuedFlag(
  flags: readonly Flag[],
  before: readonly string[],
  current: string,
): { readonly flag: Flag; readonly prefix: string } | undefined {
  const [, inline] = /^--([\w-]+)=/.exec(current) ?? []
  const last = current === '=' || before.at(-1) !== '=' ? before.at(-1) : before.at(-2)
  const flag = flags.find(({ name, letter, value }) =>
    inline === undefined ? value !== undefined && (last === `--${name}` || last === `-${letter}`) : name === inline,
  )
  return flag && { flag, prefix: inline === undefined ? '' : `--${inline}=` }
}

export const bashScript = `# systole completion for bash: source this file, or put it into /etc/bash_completion.d/
_systole() {
  local IFS=$'\\n'
  COMPREPLY=($(systole completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _systole systole
`

export const zshScript = `#compdef systole
# systole completion for zsh: put this file as _systole into a folder of $fpath
_systole() {
  local -a candidates
  candidates=(\${(f)"$(systole completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a candidates
}
compdef _systole systole
`
