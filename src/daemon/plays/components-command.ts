/** The command of a task of a play: the performer of components that belongs to this daemon. */
import { join } from 'node:path'
import type { TaskRecord } from '../../jobs/index.ts'
import { installFolder } from '../host/install-folder.ts'
import type { PerformOrder } from './perform/perform.ts'

export const componentsCommand =
  (data: string) =>
  (
    { owner, stdin = '{}' }: Pick<TaskRecord, 'stdin'> & { readonly owner: Pick<TaskRecord['owner'], 'name'> },
    components: unknown,
  ): Pick<TaskRecord, 'argv' | 'stdin'> => {
    const { query = {}, force = false } = JSON.parse(stdin) as Partial<PerformOrder>
    const order: PerformOrder = {
      components: components as PerformOrder['components'],
      query,
      force,
      play: owner.name,
      folder: join(data, 'components'),
    }
    return {
      argv: [process.execPath, join(installFolder(), 'dist', 'systole-components.cjs')],
      stdin: JSON.stringify(order),
    }
  }
