/** The CIB: configuration and recorded state as data. Reading, printing, typed views, pure edits, validation. */

export {
  type Access,
  accessTo,
  mayRead,
  mayReadAll,
  mayWriteAll,
  type SelectByXpath,
  UnreadablePermissionError,
} from './acl/access.ts'
export { applyToWhole } from './acl/apply-to-whole.ts'
export { describeForbidden, type Forbidden, firstForbidden, ofTheCluster, type Side } from './acl/forbidden.ts'
export { firstHiddenReference } from './acl/hidden-reference.ts'
export {
  type AclPermission,
  type AclUser,
  aclIsOn,
  type PermissionKind,
  permissionsOf,
  permissionsOfRoles,
  superusers,
} from './acl/permissions.ts'
export { type ReadableCib, readable } from './acl/readable.ts'
export {
  type ConfiguredWatchdog,
  clusterOptionSets,
  clusterOptionValue,
  configuredWatchdog,
  writtenClusterOption,
  writtenClusterOptions,
} from './cluster-option-value.ts'
export type * from './configuration.ts'
export {
  type AttributeChange,
  type ConfigurationChange,
  describeChanges,
  diffConfiguration,
  sameDocument,
} from './diff.ts'
export {
  childElement,
  childElements,
  element,
  type MalformedXmlReport,
  type Place,
  parseXml,
  parseXmlPieces,
  parsingXml,
  printXml,
  type XmlElement,
  type XmlNode,
  type XmlText,
} from './document.ts'
export {
  type AclSubject,
  addAclPermissions,
  assignAclRole,
  createAclRole,
  createAclSubject,
  deleteAclPermission,
  deleteAclRole,
  deleteAclSubject,
  type NewPermission,
  unassignAclRole,
} from './edit/acls.ts'
export {
  type AlertValues,
  addRecipient,
  createAlert,
  deleteAlerts,
  deleteRecipients,
  updateAlert,
  updateRecipient,
} from './edit/alerts.ts'
export { autoUtilization, withoutAutoUtilization } from './edit/auto-utilization.ts'
export { type ContainerType, containerTypes, createBundle, resetBundle, updateBundle } from './edit/bundles.ts'
export {
  banNode,
  type ClearRequest,
  type CliConstraint,
  clearCliConstraints,
  preferNode,
} from './edit/cli-constraints.ts'
export { type ClonePlacement, cloneResource, isPromotable, uncloneResource } from './edit/clones.ts'
export {
  createColocation,
  createColocationSets,
  createLocation,
  createOrder,
  createOrderSets,
  deleteConstraints,
  enclosingClone,
  type LocationSubject,
  type NewColocation,
  type NewLocation,
  type NewOrder,
  type NewResourceSet,
  type NewSetConstraint,
  partsOfClones,
  type WrittenTruth,
} from './edit/constraints.ts'
export { removeColocations, removeFromOrders } from './edit/constraints-of-resources.ts'
export { createDefaultsSet, deleteDefaultsSets, updateDefaultsSet } from './edit/default-sets.ts'
export { deleteResources } from './edit/delete-resource.ts'
export {
  appendElement,
  elementWithId,
  ruleOfNew,
  setDescription,
  setPairs,
} from './edit/elements.ts'
export {
  addFencingLevel,
  describeTarget,
  type LevelSelector,
  type LevelTarget,
  type NewFencingLevel,
  removeFencingLevels,
} from './edit/fencing-levels.ts'
export { findResource, missingNodes, nodeNamesOf, parentResource, resourceElementsOf, standIns } from './edit/find.ts'
export { fitSchema } from './edit/fit-schema.ts'
export { addToGroup, type GroupPlacement, removeFromGroup } from './edit/groups.ts'
export { withoutPartIds } from './edit/identified.ts'
export { emptiedConfiguration, type LoadedElement, loadElements } from './edit/load-elements.ts'
export { type MergeConflict, mergeConfiguration } from './edit/merge.ts'
export { strayCloneOptions } from './edit/meta.ts'
export type { NameValues } from './edit/name-values.ts'
export { writtenValue } from './edit/name-values.ts'
export {
  addOperation,
  adviceTaken,
  type NewOperation,
  type OperationSelector,
  removeOperation,
} from './edit/operations.ts'
export {
  createPrimitive,
  type NewPrimitive,
  type PrimitiveChange,
  setResourceMeta,
  updateResource,
} from './edit/primitives.ts'
export { addRelocations, clearRelocations, type Relocation, withoutStickiness } from './edit/relocation.ts'
export { describeEditReport, type Edited, type EditReport, type EditResult, type Removed } from './edit/reports.ts'
export type { NewRule } from './edit/rule-element.ts'
export {
  disableResources,
  enableResources,
  type ManagedList,
  manageResources,
  type ResourceList,
  unmanageResources,
} from './edit/running.ts'
export {
  addNode,
  type DefaultsOf,
  type NodeChange,
  removeNode,
  type SettingsChange,
  setClusterOptions,
  setDefaults,
  setNodeAttributes,
  setNodeMaintenance,
  setStandby,
} from './edit/settings.ts'
export { createTag, deleteTags, updateTag, withoutTags } from './edit/tags.ts'
export { type Divergence, mergeThreeWays, type ThreeWay } from './edit/three-way.ts'
export {
  createTicketConstraint,
  deleteTicketConstraints,
  type LossPolicy,
} from './edit/ticket-constraints.ts'
export { type Upgraded, upgradeSchema, upgradeToNewest } from './edit/upgrade-schema.ts'
export { clusterOptions } from './options/cluster-options.ts'
export {
  describeOption,
  describeValues,
  isValueOf,
  mostInstances,
  type OptionDefinition,
  type OptionType,
} from './options/definition.ts'
export { fenceDeviceOptions } from './options/fencing-options.ts'
export {
  clusterOption,
  fenceDeviceOption,
  metaOption,
  metaOptionsFor,
  operationOption,
  type ResourceKind,
} from './options/lookup.ts'
export { operationOptions } from './options/operation-options.ts'
export {
  cloneMetaOptions,
  commonMetaOptions,
  groupMetaOptions,
  guestMetaOptions,
  nodeAttributes,
} from './options/resource-options.ts'
export {
  childrenOf,
  configuredPrimitives,
  definitionsAround,
  primitiveDefinitions,
  resourcesNamedBy,
  topLevelOf,
} from './primitive-definitions.ts'
export { configurationElement, configurationSteps, readConfiguration } from './read-configuration.ts'
export { nvSetsByPrecedence } from './read-nvset.ts'
export { findRule } from './read-rule.ts'
export { canonicalText, canonicalTextIn, sameConfiguration } from './same-configuration.ts'
export { schemaMistakes } from './schema/by-schema.ts'
export { attributesWithoutEffect, forms } from './schema/schema.ts'
export {
  hiddenValue,
  type IsSecret,
  isSecretName,
  secretNames,
  secretNamesOf,
  secretValues,
  textWithoutSecrets,
  withoutSecrets,
  wordsWithoutSecrets,
} from './secret.ts'
export { type CibParts, composeCib } from './status/compose-cib.ts'
export {
  type CountedFailure,
  type FailingOperation,
  failCountName,
  failureNamesOf,
  failuresIn,
  lastFailureName,
} from './status/fail-count-names.ts'
export { featureSet, pacemakerVersion, schemaName } from './status/feature-set.ts'
export { type DigestInput, type Md5, operationDigests, parametersDigest } from './status/operation-digest.ts'
export {
  describeOperationStatus,
  formatTransitionKey,
  type OperationDigests,
  type OperationResult,
  type OperationStatus,
  operationKey,
  operationStatuses,
  operationStatusWords,
  parseTransitionKey,
  recordsOfResult,
  remarkAttribute,
  type TransitionKey,
} from './status/operation-history.ts'
export {
  type AttributeTraitsRecord,
  type NodeStateRecord,
  type OperationRecord,
  parseAttributeTraitsRecord,
  parseNodeStateRecord,
  parseOperationRecord,
  parseShutdownLockRecord,
  parseTicketRecord,
  parseTransientAttributeRecord,
  parseWithheldAttributeRecord,
  type ShutdownLockRecord,
  type TicketRecord,
  type TransientAttributeRecord,
  type WithheldAttributeRecord,
} from './status/records.ts'
export { type SplitCib, splitCib } from './status/split-cib.ts'
export { ancestorsOf, configurationSections, descendants } from './tree.ts'
export { type CibFinding, type CibReport, describeCibReport, describeFinding, type Where } from './validate/report.ts'
export { validateCib, validationSteps } from './validate/validate-cib.ts'
export { unreadableSchema } from './validate/validate-obsolete.ts'
export {
  isTrue,
  parseBoolean,
  parseOrderAction,
  parseOrderKind,
  parseRole,
  splitWords,
} from './values/attribute-text.ts'
export { roleRank } from './values/role-rank.ts'
export { addScores, formatScore, INFINITY_SCORE, parseScore } from './values/score.ts'
