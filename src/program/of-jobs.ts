/**
 * Commands of jobs have code of their own (`src/cli/start/jobs.ts`): they are typed and started by the hundred, and the code of all commands takes longer to
 * load than they have to do. Whatever is not plainly one of them is left to the program as a whole.
 */

export const jobVerbs: readonly string[] = ['run', 'copy', 'list', 'show', 'output', 'cancel']

/** `--preview` asks the scheduler what would happen, which this code does without. */
const notPlain = /^(?:-f.*|--file(?:=.*)?|--preview(?:=.*)?|-h|--help|--fullhelp|--version|help)$/s

export function isOfJobs(
  [area, verb = '', ...rest]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): boolean {
  const asPcs = environment.SYSTOLE_PROGRAM === 'pcs' || environment.PCS_COMPAT !== undefined
  if (area !== 'job' || !jobVerbs.includes(verb) || asPcs) return false
  const end = rest.indexOf('--')
  return !(end < 0 ? rest : rest.slice(0, end)).some((word) => notPlain.test(word))
}
