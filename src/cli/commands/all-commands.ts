/** Every command, in the order in which help lists them. */
import type { Command } from '../command.ts'
import { clusterCib, clusterCibPush } from './cluster/cib.ts'
import { clusterJoin, clusterToken } from './cluster/join.ts'
import { clusterDestroy, clusterNodeAdd, clusterNodeRemove } from './cluster/node.ts'
import { clusterSetup } from './cluster/setup.ts'
import { clusterStart, clusterStop } from './cluster/start-stop.ts'
import { clusterStatus } from './cluster/status.ts'
import { clusterVerify } from './cluster/verify.ts'
import { completionScript } from './completion/completion.ts'
import { configDiff, configHistory, configUndo } from './config/history.ts'
import { constraintColocationAdd, constraintColocationSet } from './constraint/colocation.ts'
import { constraintConfig, constraintDelete, constraintKindConfigs } from './constraint/delete.ts'
import { constraintLocation, constraintLocationAdd } from './constraint/location.ts'
import { constraintOrder, constraintOrderSet } from './constraint/order.ts'
import { nodeAttribute } from './node/attribute.ts'
import { nodeModeCommands } from './node/standby.ts'
import { propertyConfig, propertySet, propertyUnset } from './property/property.ts'
import { quorumStatus } from './quorum/status.ts'
import { resourceClone, resourcePromotable, resourceUnclone } from './resource/clone.ts'
import { resourceConfig, stonithConfig } from './resource/config.ts'
import { resourceCreate, stonithCreate } from './resource/create.ts'
import { resourceDefaults, resourceOpDefaults } from './resource/defaults.ts'
import { resourceDelete } from './resource/delete.ts'
import { resourceDisable, resourceEnable, resourceManage, resourceUnmanage } from './resource/enable.ts'
import { resourceCleanup, resourceRefresh } from './resource/forget.ts'
import { resourceGroupAdd, resourceGroupRemove } from './resource/group.ts'
import { resourceMeta } from './resource/meta.ts'
import { resourceBan, resourceClear, resourceMove } from './resource/move.ts'
import { resourceOpAdd, resourceOpRemove } from './resource/op.ts'
import { resourceRestart } from './resource/restart.ts'
import { resourceUpdate } from './resource/update.ts'
import { simulateCommand } from './simulate/simulate.ts'
import { status } from './status/status.ts'
import { stonithConfirm } from './stonith/confirm.ts'
import { stonithFence } from './stonith/fence.ts'
import { stonithHistory } from './stonith/history.ts'
import { stonithLevel, stonithLevelAdd, stonithLevelRemove } from './stonith/level.ts'

import { why } from './why/why.ts'

export const allCommands: readonly Command[] = [
  status,
  why,
  simulateCommand,
  clusterSetup,
  clusterJoin,
  clusterToken,
  clusterStart,
  clusterStop,
  clusterStatus,
  clusterCib,
  clusterCibPush,
  clusterVerify,
  clusterNodeAdd,
  clusterNodeRemove,
  clusterDestroy,
  resourceCreate,
  resourceDelete,
  resourceUpdate,
  resourceConfig,
  resourceEnable,
  resourceDisable,
  resourceMove,
  resourceBan,
  resourceClear,
  resourceRestart,
  resourceCleanup,
  resourceRefresh,
  resourceManage,
  resourceUnmanage,
  resourceGroupAdd,
  resourceGroupRemove,
  resourceClone,
  resourcePromotable,
  resourceUnclone,
  resourceMeta,
  resourceOpAdd,
  resourceOpRemove,
  resourceOpDefaults,
  resourceDefaults,
  constraintLocation,
  constraintLocationAdd,
  constraintColocationAdd,
  constraintColocationSet,
  constraintOrder,
  constraintOrderSet,
  constraintDelete,
  constraintConfig,
  ...constraintKindConfigs,
  ...nodeModeCommands,
  nodeAttribute,
  propertySet,
  propertyUnset,
  propertyConfig,
  stonithCreate,
  stonithConfig,
  stonithFence,
  stonithConfirm,
  stonithHistory,
  stonithLevel,
  stonithLevelAdd,
  stonithLevelRemove,
  quorumStatus,
  configHistory,
  configDiff,
  configUndo,
  completionScript,
]
