/** What each call of the daemon would do, as far as it can be known beforehand. What is wrong with it is refused as the daemon refuses it. */
import type { LocalClient, Messages } from '../../rpc/index.ts'
import { forgettingHistory } from './history.ts'
import { aboutLinks, aboutNodes } from './nodes.ts'
import { aboutRecords } from './records.ts'
import type { Foreseen, Scene } from './scene.ts'
import { aboutState } from './state.ts'
import { aboutWork } from './work.ts'

type Foresight = (asked: never, scene: Scene) => Foreseen | Promise<Foreseen>

export const foresights: Partial<Readonly<Record<keyof LocalClient, Foresight>>> = {
  deleteHistory: (asked: Messages['DeleteHistoryRequest'], scene: Scene) => forgettingHistory(asked, scene),
  ...aboutState,
  ...aboutNodes,
  ...aboutLinks,
  ...aboutRecords,
  ...aboutWork,
}
