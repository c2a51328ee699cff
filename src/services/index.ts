/** Services: what resources offer to clients, declared in the configuration, and which instances of it are healthy. Pure. */
export { answer, type DnsAnswer, type DnsDecision, type DnsRecord, refusal } from './answer.ts'
export {
  type AddressOf,
  type Catalogue,
  catalogueOf,
  healthyOf,
  type Service,
  type ServiceInstance,
} from './catalogue.ts'
export { checksOf, type DueCheck, type OwnChecks } from './checks.ts'
export {
  agentServices,
  type ConsulSource,
  catalogService,
  catalogServices,
  eventOf,
  healthService,
  type Wanted,
} from './consul.ts'
export {
  agentChecks,
  agentSelf,
  type ConsulSelf,
  catalogNode,
  catalogNodes,
  healthChecks,
  healthOfNode,
  healthState,
  statusLeader,
  statusPeers,
} from './consul-nodes.ts'
export { type Declared, declaredServices, mostOfResource, mostServices } from './declared.ts'
export {
  type Check,
  nodeAddress,
  parseService,
  printService,
  type ServiceDefinition,
  serviceAttributePrefix,
} from './definition.ts'
export { awaitedOf, countOf, describeInstance, describeVerified, missing } from './describe.ts'
export {
  type DnsSetting,
  type Door,
  dnsOption,
  type HttpSetting,
  httpOption,
  networksOf,
  parseDnsSetting,
  parseHttpSetting,
  printDnsSetting,
  printHttpSetting,
} from './doors.ts'
export {
  awaitedBy,
  type DnsQuestion,
  declaredGates,
  type GateDefinition,
  type GateState,
  gateAttributePrefix,
  gatesOf,
  mostGates,
  parseGate,
  printGate,
} from './gates.ts'
export { checkSet, failedCheck, passedCheck, type ServiceState, type Verified } from './health.ts'
export { isPlainAddress, isWithin, type Network, parseIp, plainIp } from './ip.ts'
export { type NodeAddress, type Zone, zoneOf } from './zone.ts'
