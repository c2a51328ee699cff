/** Needed to build only, and yet distributed: the search of the documentation's site has it inside. */
const inTheSite: ReadonlySet<string> = new Set(['node_modules/minisearch'])

/** Whether a package of package-lock.json is passed on with Systole. */
export const isDistributed = (path: string, { dev }: { readonly dev?: boolean }): boolean =>
  path !== '' && (dev !== true || inTheSite.has(path))
