/** Every command, in the order in which help lists them. */
import type { Command } from '../command.ts'
import {
  aclConfig,
  aclPermissionAdd,
  aclPermissionDelete,
  aclRoleAssign,
  aclRoleCreate,
  aclRoleDelete,
  aclRoleUnassign,
  aclSubjectCommands,
  aclSwitches,
} from './acl/acl.ts'
import {
  alertConfig,
  alertCreate,
  alertDelete,
  alertRecipientAdd,
  alertRecipientDelete,
  alertRecipientUpdate,
  alertUpdate,
} from './alert/alert.ts'
import { cibElementCreate, cibElementDescription } from './cib/element.ts'
import { clusterCib, clusterCibPush } from './cluster/cib.ts'
import { clusterJoin, clusterToken } from './cluster/join.ts'
import { clusterDestroy, clusterNodeAdd, clusterNodeRemove } from './cluster/node.ts'
import { clusterSetup } from './cluster/setup.ts'
import { clusterStart, clusterStop } from './cluster/start-stop.ts'
import { clusterStatus } from './cluster/status.ts'
import { clusterVerify } from './cluster/verify.ts'
import { completionScript } from './completion/completion.ts'
import { configDiff, configHistory, configUndo } from './config/history.ts'
import { configShow } from './config/show.ts'
import { constraintColocationAdd, constraintColocationSet } from './constraint/colocation.ts'
import { constraintConfig, constraintKindConfigs, constraintRef } from './constraint/config.ts'
import { constraintDelete } from './constraint/delete.ts'
import { constraintColocationDelete, constraintOrderDelete } from './constraint/delete-by-resource.ts'
import { constraintLocation, constraintLocationAdd } from './constraint/location.ts'
import { constraintOrder, constraintOrderSet } from './constraint/order.ts'
import { constraintTicketAdd, constraintTicketDelete, constraintTicketSet } from './constraint/ticket.ts'
import { nodeAttribute } from './node/attribute.ts'
import { nodeModeCommands } from './node/standby.ts'
import { propertyConfig, propertySet, propertyUnset } from './property/property.ts'
import { quorumConfig } from './quorum/config.ts'
import { quorumStatus } from './quorum/status.ts'
import { quorumUnblock } from './quorum/unblock.ts'
import {
  resourceAgents,
  resourceDescribe,
  resourceList,
  resourceProviders,
  resourceStandards,
  stonithDescribe,
  stonithList,
} from './resource/agents.ts'
import { bundleCreate, bundleReset, bundleUpdate } from './resource/bundle.ts'
import { resourceClone, resourcePromotable, resourceUnclone } from './resource/clone.ts'
import { resourceConfig, stonithConfig } from './resource/config.ts'
import { resourceCreate, stonithCreate } from './resource/create.ts'
import { defaultSetCommands } from './resource/default-sets.ts'
import { resourceDefaults, resourceOpDefaults } from './resource/defaults.ts'
import { resourceDelete } from './resource/delete.ts'
import { resourceDisable, resourceEnable, resourceManage, resourceUnmanage } from './resource/enable.ts'
import { resourceFailcount } from './resource/failcount.ts'
import { resourceCleanup, resourceRefresh } from './resource/forget.ts'
import { resourceGroupAdd, resourceGroupRemove } from './resource/group.ts'
import { resourceMeta } from './resource/meta.ts'
import { resourceBan, resourceClear, resourceMove } from './resource/move.ts'
import { resourceOpAdd, resourceOpRemove } from './resource/op.ts'
import { resourceRelations } from './resource/relations.ts'
import { resourceRestart } from './resource/restart.ts'
import { resourceUpdate } from './resource/update.ts'
import { nodeUtilization, resourceUtilization } from './resource/utilization.ts'
import { simulateCommand } from './simulate/simulate.ts'
import { status } from './status/status.ts'
import { stonithConfirm } from './stonith/confirm.ts'
import { stonithFence } from './stonith/fence.ts'
import { stonithHistory } from './stonith/history.ts'
import { stonithLevel, stonithLevelAdd, stonithLevelRemove } from './stonith/level.ts'
import { tagConfig, tagCreate, tagDelete, tagUpdate } from './tag/tag.ts'

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
  ...defaultSetCommands,
  bundleCreate,
  bundleReset,
  bundleUpdate,
  resourceUtilization,
  resourceFailcount,
  resourceRelations,
  resourceList,
  resourceDescribe,
  resourceStandards,
  resourceProviders,
  resourceAgents,
  constraintLocation,
  constraintLocationAdd,
  constraintColocationAdd,
  constraintColocationSet,
  constraintOrder,
  constraintOrderSet,
  constraintTicketAdd,
  constraintTicketSet,
  constraintTicketDelete,
  constraintOrderDelete,
  constraintColocationDelete,
  constraintDelete,
  constraintRef,
  constraintConfig,
  ...constraintKindConfigs,
  ...nodeModeCommands,
  nodeAttribute,
  nodeUtilization,
  propertySet,
  propertyUnset,
  propertyConfig,
  stonithCreate,
  stonithConfig,
  stonithList,
  stonithDescribe,
  stonithFence,
  stonithConfirm,
  stonithHistory,
  stonithLevel,
  stonithLevelAdd,
  stonithLevelRemove,
  tagConfig,
  tagCreate,
  tagUpdate,
  tagDelete,
  alertConfig,
  alertCreate,
  alertUpdate,
  alertDelete,
  alertRecipientAdd,
  alertRecipientUpdate,
  alertRecipientDelete,
  aclConfig,
  ...aclSwitches,
  aclRoleCreate,
  aclRoleDelete,
  aclRoleAssign,
  aclRoleUnassign,
  ...aclSubjectCommands,
  aclPermissionAdd,
  aclPermissionDelete,
  cibElementDescription,
  cibElementCreate,
  quorumStatus,
  quorumConfig,
  quorumUnblock,
  configShow,
  configHistory,
  configDiff,
  configUndo,
  completionScript,
]
