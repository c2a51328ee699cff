/** The schemas of Pacemaker that are installed where the caller runs: programs such as crmsh read them from there. */
import { readdirSync } from 'node:fs'

const byVersion = new Intl.Collator('en', { numeric: true })

/** The name of the newest one, such as `pacemaker-3.9`; nothing where there are none. */
export function newestInstalledSchema(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return schemasIn(environment.PCMK_schema_directory ?? '/usr/share/pacemaker')
    .sort(byVersion.compare)
    .at(-1)
}

function schemasIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => /^(pacemaker-\d+\.\d+)\.rng$/.exec(name)?.[1] ?? [])
  } catch {
    return []
  }
}
