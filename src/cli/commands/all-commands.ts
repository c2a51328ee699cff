/** Every command, in the order in which help lists them. */
import type { Command } from '../command.ts'
import { clusterCib, clusterCibPush } from './cluster/cib.ts'
import { clusterJoin, clusterToken } from './cluster/join.ts'
import { clusterDestroy, clusterNodeAdd, clusterNodeRemove } from './cluster/node.ts'
import { clusterSetup } from './cluster/setup.ts'
import { clusterStart, clusterStop } from './cluster/start-stop.ts'
import { completionScript } from './completion/completion.ts'
import { configDiff, configHistory, configUndo } from './config/history.ts'
import { quorumStatus } from './quorum/status.ts'
import { resourceCleanup, resourceRefresh } from './resource/forget.ts'
import { stonithConfirm } from './stonith/confirm.ts'
import { stonithFence } from './stonith/fence.ts'
import { stonithHistory } from './stonith/history.ts'

export const allCommands: readonly Command[] = [
  clusterSetup,
  clusterJoin,
  clusterToken,
  clusterStart,
  clusterStop,
  clusterCib,
  clusterCibPush,
  clusterNodeAdd,
  clusterNodeRemove,
  clusterDestroy,
  resourceCleanup,
  resourceRefresh,
  stonithFence,
  stonithConfirm,
  stonithHistory,
  quorumStatus,
  configHistory,
  configDiff,
  configUndo,
  completionScript,
]
