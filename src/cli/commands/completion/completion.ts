import { type Command, done, Refusal } from '../../call/command.ts'
import { bashScript, zshScript } from '../../call/completion.ts'

export const completionScript: Command = {
  path: ['completion'],
  usage: 'bash | zsh',
  summary: 'Print the completion script for a shell',
  examples: ['source <(systole completion bash)'],
  completes: [{ words: ['bash', 'zsh'] }],
  run: (call) => {
    const scripts: Readonly<Record<string, string>> = { bash: bashScript, zsh: zshScript }
    const script = scripts[call.words[0] ?? '']
    if (script === undefined || call.words.length > 1)
      throw new Refusal('Completion is available for bash and zsh: systole completion bash.')
    return Promise.resolve(done(script, { script }))
  },
}
