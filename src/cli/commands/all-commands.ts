/** Every command, in the order in which help lists them. */
import type { Command } from '../call/command.ts'
import { foreseeing } from '../foresee/foresee.ts'
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
import { aclCheck } from './acl/check.ts'
import {
  alertConfig,
  alertCreate,
  alertDelete,
  alertRecipientAdd,
  alertRecipientDelete,
  alertRecipientUpdate,
  alertUpdate,
} from './alert/alert.ts'
import { alertAgentsCommand } from './alert/shipped.ts'
import { alertTest } from './alert/test-alert.ts'
import { boothStatus, boothTicketCommands } from './booth/booth.ts'
import { cibElementCreate, cibElementDescription } from './cib/element.ts'
import { clusterCertificates, clusterCertificatesRenew } from './cluster/certificates.ts'
import { clusterCib, clusterCibPush, clusterEdit } from './cluster/cib.ts'
import { clusterCibUpgrade } from './cluster/cib-upgrade.ts'
import { clusterConfig } from './cluster/config.ts'
import { clusterConfigUpdate } from './cluster/config-update.ts'
import { clusterCorosync, clusterSync } from './cluster/corosync.ts'
import { clusterJoin } from './cluster/join.ts'
import { clusterLinkAdd, clusterLinkRemove, clusterLinkUpdate } from './cluster/link.ts'
import { clusterDestroy, clusterNodeAdd, clusterNodeRemove } from './cluster/node.ts'
import { clusterNodePlan } from './cluster/node-plan.ts'
import { nodeAddGuest, nodeAddRemote, nodeClear, nodeDeleteGuest, nodeDeleteRemote } from './cluster/remote-node.ts'
import { clusterReport } from './cluster/report.ts'
import { clusterSetup } from './cluster/setup.ts'
import { clusterDisable, clusterEnable, clusterStart, clusterStop } from './cluster/start-stop.ts'
import { clusterStatus } from './cluster/status.ts'
import { clusterToken, clusterTokenList, clusterTokenWithdraw } from './cluster/token.ts'
import { clusterVerify } from './cluster/verify.ts'
import { completionScript } from './completion/completion.ts'
import { configBackup, configRestore } from './config/backup.ts'
import { configConfirm } from './config/confirm.ts'
import { configDiff, configHistory } from './config/history.ts'
import { configRevert } from './config/revert.ts'
import { configShow } from './config/show.ts'
import { configUndo } from './config/undo.ts'
import { configureLoad, configureShow } from './configure/configure.ts'
import { configureStatements } from './configure/statement.ts'
import { consoleCertificateSet, consoleCertificateUnset } from './console/certificate.ts'
import { consoleClientAdd, consoleClientList, consoleClientRemove } from './console/client.ts'
import { consoleDisable, consoleEnable, consoleStatus } from './console/console.ts'
import { constraintColocationAdd, constraintColocationSet } from './constraint/colocation.ts'
import { constraintConfig, constraintKindConfigs, constraintRef } from './constraint/config.ts'
import { constraintDelete } from './constraint/delete.ts'
import { constraintColocationDelete, constraintOrderDelete } from './constraint/delete-by-resource.ts'
import { constraintLocation, constraintLocationAdd } from './constraint/location.ts'
import { constraintOrder, constraintOrderSet } from './constraint/order.ts'
import { constraintTicketAdd, constraintTicketDelete, constraintTicketSet } from './constraint/ticket.ts'
import { fleetAdd, fleetList, fleetRemove, fleetStatus, fleetTrust } from './fleet/fleet.ts'
import { graph } from './graph/graph.ts'
import { historyList, historyShow } from './history/history.ts'
import { holdList, holdRelease } from './hold/hold.ts'
import { hostAuth, hostDeauth, statusPcsd } from './host/host.ts'
import { importCluster } from './import/import.ts'
import { incidentExport, incidentList, incidentShow } from './incident/incident.ts'
import { inventory } from './inventory/inventory.ts'
import { jobCommands } from './job/job-commands.ts'
import { lockAcquire, lockList, lockRelease, lockRun } from './lock/lock.ts'
import { metrics } from './metrics/metrics.ts'
import { nodeAttribute } from './node/attribute.ts'
import { nodeBenchmark } from './node/benchmark.ts'
import { nodeDrain, nodeUndrain } from './node/drain.ts'
import { nodeFacts } from './node/facts.ts'
import { nodeHealth } from './node/health.ts'
import { nodeModeCommands } from './node/standby.ts'
import { orchestrateVerbs } from './orchestrate/orchestrate.ts'
import { orchestrateSettings } from './orchestrate/settings.ts'
import { pkiRotate, pkiStatus } from './pki/pki.ts'
import { exportFile } from './plan/export.ts'
import { apply, plan } from './plan/plan.ts'
import { playCancel, playList, playOutput, playPlan, playResume, playRun, playShow } from './play/play.ts'
import { profileCreate, profileDelete, profileList, profileMatch, profileRequire } from './profile/profile.ts'
import { propertyConfig, propertyList } from './property/config.ts'
import { propertyDefaults, propertyDescribe } from './property/describe.ts'
import { propertySet, propertyUnset } from './property/property.ts'
import {
  qdeviceDestroy,
  qdeviceDisable,
  qdeviceEnable,
  qdeviceSetup,
  qdeviceStart,
  qdeviceStatus,
  qdeviceStop,
} from './qdevice/qdevice.ts'
import { quorumConfig } from './quorum/config.ts'
import { quorumDeviceAdd, quorumDeviceRemove, quorumDeviceStatus } from './quorum/device.ts'
import { quorumDeviceUpdate } from './quorum/device-update.ts'
import { quorumExpectedVotes } from './quorum/expected-votes.ts'
import { quorumStatus } from './quorum/status.ts'
import { quorumUnblock } from './quorum/unblock.ts'
import { quorumUpdate } from './quorum/update.ts'
import { recipePlan, recipeRun } from './recipe/recipe.ts'
import { refusedCommands } from './refused/refused.ts'
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
import { resourceCoverage } from './resource/coverage.ts'
import { resourceCreate, stonithCreate } from './resource/create.ts'
import { debugCommands } from './resource/debug.ts'
import { defaultSetCommands } from './resource/default-sets.ts'
import { resourceDefaults, resourceOpDefaults } from './resource/defaults.ts'
import { resourceDelete } from './resource/delete.ts'
import {
  resourceDisable,
  resourceEnable,
  resourceManage,
  resourceSafeDisable,
  resourceUnmanage,
} from './resource/enable.ts'
import { resourceFailcount } from './resource/failcount.ts'
import { resourceCleanup, resourceRefresh } from './resource/forget.ts'
import { resourceGroupAdd, resourceGroupList, resourceGroupRemove } from './resource/group.ts'
import { resourceHistory } from './resource/history.ts'
import { resourceMeta } from './resource/meta.ts'
import { resourceBan, resourceClear, resourceMove } from './resource/move.ts'
import { resourceMoveWithConstraint } from './resource/move-with-constraint.ts'
import { resourceOpAdd, resourceOpRemove } from './resource/op.ts'
import { resourceRelations } from './resource/relations.ts'
import {
  resourceRelocateClear,
  resourceRelocateDryRun,
  resourceRelocateRun,
  resourceRelocateShow,
} from './resource/relocate.ts'
import { resourceRestart } from './resource/restart.ts'
import { resourceUpdate } from './resource/update.ts'
import { nodeUtilization, resourceUtilization } from './resource/utilization.ts'
import { roleAdd, roleList, roleRemove } from './role/role.ts'
import { rolloutPlan } from './rollout/plan.ts'
import {
  rolloutHistory,
  rolloutShow,
  rolloutStart,
  rolloutStatus,
  rolloutVerify,
  rolloutVersions,
  rolloutWords,
} from './rollout/rollout.ts'
import {
  serviceDnsDisable,
  serviceDnsEnable,
  serviceDnsShow,
  serviceHttpDisable,
  serviceHttpEnable,
  serviceHttpShow,
} from './service/doors.ts'
import { serviceGateAdd, serviceGateList, serviceGateRemove } from './service/gate.ts'
import { serviceCreate, serviceDelete, serviceList, serviceShow, serviceUpdate } from './service/service.ts'
import { serviceWait, serviceWatch } from './service/wait.ts'
import { simulateCommand } from './simulate/simulate.ts'
import { stateList, stateReplay, stateSave } from './state/state.ts'
import { statusNodes } from './status/nodes.ts'
import { statusQuery } from './status/query.ts'
import { statusResources, stonithStatus } from './status/resources.ts'
import { status } from './status/status.ts'
import { statusWait } from './status/wait.ts'
import { statusXml } from './status/xml.ts'
import { stonithConfirm } from './stonith/confirm.ts'
import { stonithFence } from './stonith/fence.ts'
import { stonithHistory, stonithHistoryCleanup, stonithHistoryUpdate } from './stonith/history.ts'
import { stonithLevel, stonithLevelAdd, stonithLevelRemove } from './stonith/level.ts'
import { stonithLevelClear, stonithLevelVerify } from './stonith/level-verify.ts'
import { sbdConfig, sbdDisable, sbdEnable, sbdLocalConfig, sbdStatus, sbdWatchdogList } from './stonith/sbd.ts'
import { sbdDeviceMessage, sbdDeviceSetup } from './stonith/sbd-device.ts'
import { stonithTest } from './stonith/test.ts'
import { sbdWatchdogTest } from './stonith/watchdog-test.ts'
import { tagConfig, tagCreate, tagDelete, tagUpdate } from './tag/tag.ts'
import { ticketCleanup, ticketCommands, ticketStatus } from './ticket/ticket.ts'
import { timelineCompare, timelineShow } from './timeline/then.ts'
import { timelineList } from './timeline/timeline.ts'
import { tokenCreate, tokenList, tokenRevoke } from './token/token.ts'
import { utilizationAutoCommand } from './utilization/auto.ts'
import { waitConverged } from './wait/converged.ts'
import { why } from './why/why.ts'

const inOrder: readonly Command[] = [
  status,
  statusResources,
  statusNodes,
  statusQuery,
  statusWait,
  statusXml,
  metrics,
  incidentList,
  incidentShow,
  incidentExport,
  historyList,
  historyShow,
  timelineList,
  timelineShow,
  timelineCompare,
  why,
  graph,
  simulateCommand,
  stateSave,
  stateList,
  stateReplay,
  clusterSetup,
  importCluster,
  clusterJoin,
  clusterToken,
  clusterTokenList,
  clusterTokenWithdraw,
  consoleEnable,
  consoleDisable,
  consoleStatus,
  consoleCertificateSet,
  consoleCertificateUnset,
  consoleClientAdd,
  consoleClientList,
  consoleClientRemove,
  fleetAdd,
  fleetRemove,
  fleetList,
  fleetStatus,
  fleetTrust,
  tokenCreate,
  tokenList,
  tokenRevoke,
  pkiStatus,
  pkiRotate,
  clusterStart,
  clusterStop,
  clusterStatus,
  clusterCertificates,
  clusterCertificatesRenew,
  clusterCib,
  clusterCibPush,
  clusterEdit,
  clusterCibUpgrade,
  clusterConfig,
  clusterConfigUpdate,
  clusterEnable,
  clusterDisable,
  clusterCorosync,
  clusterSync,
  clusterVerify,
  clusterReport,
  clusterNodeAdd,
  clusterNodePlan,
  clusterNodeRemove,
  clusterLinkAdd,
  clusterLinkUpdate,
  clusterLinkRemove,
  nodeAddRemote,
  nodeDeleteRemote,
  nodeAddGuest,
  nodeDeleteGuest,
  nodeClear,
  hostAuth,
  hostDeauth,
  statusPcsd,
  clusterDestroy,
  resourceCreate,
  resourceDelete,
  resourceUpdate,
  resourceConfig,
  resourceEnable,
  resourceDisable,
  resourceSafeDisable,
  resourceMove,
  resourceMoveWithConstraint,
  resourceBan,
  resourceClear,
  resourceRestart,
  resourceCleanup,
  resourceRefresh,
  resourceManage,
  resourceUnmanage,
  resourceGroupList,
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
  ...debugCommands,
  resourceFailcount,
  resourceHistory,
  resourceRelations,
  resourceCoverage,
  resourceRelocateShow,
  resourceRelocateDryRun,
  resourceRelocateRun,
  resourceRelocateClear,
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
  nodeDrain,
  nodeUndrain,
  nodeAttribute,
  nodeFacts,
  nodeHealth,
  nodeBenchmark,
  nodeUtilization,
  utilizationAutoCommand,
  propertySet,
  propertyUnset,
  propertyConfig,
  propertyList,
  propertyDefaults,
  propertyDescribe,
  stonithCreate,
  stonithTest,
  stonithConfig,
  stonithStatus,
  stonithList,
  stonithDescribe,
  stonithFence,
  stonithConfirm,
  stonithHistory,
  stonithHistoryCleanup,
  stonithHistoryUpdate,
  stonithLevel,
  stonithLevelAdd,
  stonithLevelRemove,
  stonithLevelClear,
  stonithLevelVerify,
  sbdEnable,
  sbdDisable,
  sbdStatus,
  sbdConfig,
  sbdLocalConfig,
  sbdDeviceSetup,
  sbdDeviceMessage,
  sbdWatchdogList,
  sbdWatchdogTest,
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
  alertAgentsCommand,
  alertTest,
  aclConfig,
  ...aclSwitches,
  aclCheck,
  aclRoleCreate,
  aclRoleDelete,
  aclRoleAssign,
  aclRoleUnassign,
  ...aclSubjectCommands,
  aclPermissionAdd,
  aclPermissionDelete,
  cibElementDescription,
  cibElementCreate,
  ticketStatus,
  profileList,
  profileCreate,
  profileMatch,
  profileRequire,
  profileDelete,
  roleList,
  inventory,
  roleAdd,
  roleRemove,
  holdList,
  holdRelease,
  ...jobCommands,
  lockAcquire,
  lockRelease,
  lockList,
  lockRun,
  serviceCreate,
  serviceUpdate,
  serviceDelete,
  serviceList,
  serviceShow,
  serviceGateAdd,
  serviceGateRemove,
  serviceGateList,
  serviceWatch,
  serviceWait,
  serviceDnsEnable,
  serviceDnsDisable,
  serviceDnsShow,
  serviceHttpEnable,
  serviceHttpDisable,
  serviceHttpShow,
  waitConverged,
  plan,
  apply,
  exportFile,
  recipePlan,
  recipeRun,
  playRun,
  playPlan,
  playList,
  playShow,
  playOutput,
  playResume,
  playCancel,
  rolloutPlan,
  rolloutStart,
  rolloutStatus,
  ...rolloutWords,
  rolloutHistory,
  rolloutShow,
  rolloutVersions,
  rolloutVerify,
  ...orchestrateVerbs,
  ...orchestrateSettings,
  ...ticketCommands,
  ...boothTicketCommands,
  boothStatus,
  ticketCleanup,
  quorumStatus,
  quorumConfig,
  quorumUnblock,
  quorumExpectedVotes,
  quorumUpdate,
  quorumDeviceAdd,
  quorumDeviceRemove,
  quorumDeviceStatus,
  quorumDeviceUpdate,
  qdeviceSetup,
  qdeviceStatus,
  qdeviceStart,
  qdeviceStop,
  qdeviceEnable,
  qdeviceDisable,
  qdeviceDestroy,
  configShow,
  configureShow,
  configureLoad,
  ...configureStatements,
  configBackup,
  configRestore,
  configHistory,
  configDiff,
  configUndo,
  configRevert,
  configConfirm,
  completionScript,
  ...refusedCommands,
]

export const allCommands: readonly Command[] = inOrder.map(foreseeing)
