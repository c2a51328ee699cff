/** What machines are and how they are: facts, profiles, capacities. Pure. */
export {
  type BenchmarkPart,
  type BenchmarkResult,
  benchmarkParts,
  longestBenchmark,
  outliersOf,
  readBenchmark,
} from './benchmark.ts'
export { capacityOf, defaultReserve, type Reserve } from './capacity.ts'
export {
  differencesBetween,
  type FactDefinition,
  type FactDifference,
  type Facts,
  factChanges,
  factDefinitions,
  factNamed,
  factsOf,
  type HardwareReading,
  knownFacts,
  printFact,
  usualValue,
} from './facts.ts'
export {
  type Aspect,
  aspects,
  type HealthReading,
  type HealthState,
  healthAttribute,
  healthStep,
  recordedHealth,
  troubleAttribute,
} from './health.ts'
export {
  type ExpressionMistake,
  type ProfileExpression,
  parseExpression,
  printExpression,
} from './profile-expression.ts'
export {
  excludedEverywhere,
  exclusionRule,
  isProfileName,
  matchProfile,
  mostProfiles,
  type Profile,
  type ProfileMatch,
  profileOptionPrefix,
  profilesIn,
} from './profiles.ts'
export {
  conditionsOfSensors,
  diskCondition,
  filesystemCondition,
  type LinkCounters,
  linkCondition,
  memoryCondition,
  mountedFilesystems,
} from './sensors.ts'
