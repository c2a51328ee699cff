/** What every form is given, and whom it tells its line. */
import type { StatusFacts } from '../../../cli/index.ts'
import type { Api } from '../../base/api.ts'
import type { GivenFiles } from '../given-files.tsx'

export interface Around {
  readonly api: Api
  readonly status: StatusFacts
  /** `files`: the texts of those that the line names. */
  readonly onLine: (line: string, files?: GivenFiles) => void
}
