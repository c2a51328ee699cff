/** `recipe plan` and `recipe run`: changes that belong together, one after the other, with what is waited for between them; all of them or none. */
import { type Call, type Command, done, type Outcome } from '../../call/command.ts'
import { liveCluster } from '../../call/live.ts'
import { printPlannedActions } from '../../change/planned-actions.ts'
import { expectWords } from '../../grammar/words.ts'
import { type CheckedStep, checkRecipe } from './check-recipe.ts'
import { performRecipe, type RecipeResult } from './perform-recipe.ts'
import { type Recipe, readRecipe } from './recipe-file.ts'

export const recipePlan: Command = {
  path: ['recipe', 'plan'],
  usage: '<recipe file>',
  summary: 'Check a recipe, and show its steps and what each would cause',
  details:
    'Each command is tried on a copy of the configuration, in order, and nothing is changed. The actions of a step are those that it would cause as the cluster is now.',
  examples: ['systole recipe plan add-galera.yaml'],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'recipe plan <recipe file>' })
    return await planned(call, await readRecipe(call.terminal, call.words[0] ?? ''))
  },
}

export const recipeRun: Command = {
  path: ['recipe', 'run'],
  usage: '<recipe file>',
  summary: 'Make the changes of a recipe one after the other, and take all of them back if one fails',
  details:
    'The recipe is checked before it begins, as `recipe plan` does. After each command the cluster settles, and what it starts must run. If a step fails, or the time of the recipe is over, the changes are taken back, the last one first. ' +
    'If this command or its node dies, the DC takes them back a minute after the time of the recipe. Exit codes: 0 all steps are done; 1 refused, or failed and taken back; 3 failed, and not all of it could be taken back.',
  examples: ['systole recipe run add-galera.yaml'],
  completes: ['file'],
  run: async (call) => {
    expectWords(call.words, { atLeast: 1, atMost: 1, usage: 'recipe run <recipe file>' })
    const recipe = await readRecipe(call.terminal, call.words[0] ?? '')
    const live = liveCluster(call)
    await checkRecipe(call, recipe)
    const result = await performRecipe(call, live, recipe)
    return done(printResult(result), result, exitCodes[result.state])
  },
}

const exitCodes: Readonly<Record<RecipeResult['state'], number>> = { done: 0, 'taken back': 1, 'partly taken back': 3 }

async function planned(call: Call, recipe: Recipe): Promise<Outcome> {
  const steps = await checkRecipe(call, recipe)
  const text = steps.map((step, at) => `${at + 1}. ${step.text}\n${actionsOf(step)}`).join('')
  return done(`Recipe ${recipe.name}, at most ${recipe.timeoutMs / 1000} s:\n${text}`, {
    recipe: recipe.name,
    timeoutMs: recipe.timeoutMs,
    steps,
  })
}

const actionsOf = ({ actions }: CheckedStep): string => (actions.length === 0 ? '' : printPlannedActions(actions))

function printResult({ recipe, state, steps }: RecipeResult): string {
  const lines = steps.map(({ text, state: how, ms, reason }, at) => {
    const time = how === 'done' && ms !== undefined ? ` (${(ms / 1000).toFixed(1)} s)` : ''
    return `  ${at + 1}. ${text}: ${how}${time}${reason === undefined ? '' : `: ${reason}`}\n`
  })
  const ends: Readonly<Record<RecipeResult['state'], string>> = {
    done: 'all steps are done',
    'taken back': 'failed; its changes are taken back',
    'partly taken back':
      "failed; not all of its changes could be taken back here. The DC tries again when its time is over; see 'systole config history'",
  }
  return `Recipe ${recipe}: ${ends[state]}.\n${lines.join('')}`
}
