/** What every form is given, and whom it tells its line. */
import type { StatusFacts } from '../../../cli/index.ts'
import type { Api, GivenFiles } from '../../base/api.ts'

export interface Around {
  readonly api: Api
  readonly status: StatusFacts
  /** `files`: the texts of those that the line names. */
  readonly onLine: (line: string, files?: GivenFiles) => void
}
