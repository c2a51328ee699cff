/** What every form is given, and whom it tells its line. */
import type { StatusFacts } from '../../../cli/index.ts'
import type { Api } from '../../base/api.ts'

export interface Around {
  readonly api: Api
  readonly status: StatusFacts
  readonly onLine: (line: string) => void
}
