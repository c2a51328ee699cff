/**
 * The API of the daemon. It carries messages and knows their form (proto/systole.proto), not their meaning: between
 * daemons with mutual TLS, on a Unix socket for the command line. Here too is how a new node gets its certificate.
 */
export { type CallerClass, type CallRule, callRules, ruleOf } from './call-rules.ts'
export { type CallerIdentity, keyOf, keyOfPublic, type NodeCaller, serialOf, type WebCaller } from './caller.ts'
export {
  createAuthority,
  createKeys,
  createNodeCertificate,
  type KeyPair,
  signNodeCertificate,
} from './certificates.ts'
export { type DoorRule, listenBehindDoor, openDoor, plainPeer } from './doorman.ts'
export {
  askToEnrol,
  type Enrol,
  type EnrolmentServer,
  serveEnrolment,
} from './enrolment.ts'
export { actionForm, agentForm } from './forms/action.ts'
export { deviceAnswerForm } from './forms/device-answer.ts'
export type { EnrolmentAnswer } from './forms/enrolment.ts'
export { readMessage } from './forms/grpc.ts'
export {
  BadMessageError,
  checked,
  checkedJson,
  countForm,
  type Form,
  listUpTo,
  nodeForm,
  numberForm,
  resourceForm,
  textForm,
  textUpTo,
  wordForm,
} from './forms/words.ts'
export { FrameReader, frame } from './frames.ts'
export * from './generated/systole.ts'
export {
  type Admit,
  type GrpcServer,
  type LocalServer,
  serveTcp,
  serveUnixSocket,
} from './grpc-server.ts'
export { haclientGroup } from './haclient-group.ts'
export {
  authorityHash,
  type IssuedToken,
  issueToken,
  isUsedBySame,
  type JoinRole,
  type JoinToken,
  joinRoles,
  parseToken,
  tokenObstacle,
  tokenOfSecret,
} from './join-token.ts'
export { isOwnOrRoot, userOf } from './local-callers.ts'
export {
  type ClientsOfCallers,
  connectLocal,
  connectThrough,
  type LocalClient,
  localSocketPath,
} from './local-client.ts'
export type { CallContext, CallOptions, Handlers } from './method.ts'
export { connectPeer, connectWitness, type PeerClient, showsOtherAuthority, type WitnessClient } from './peer-client.ts'
export { PeerCredentials } from './peer-credentials.ts'
export { loadPermission, refuseWhoMayNot } from './permission.ts'
export { framePulse, openPulseStream, type PulseListener, type PulseStream, servePulses } from './pulse-channel.ts'
export { connectRelay, type MemberRelay } from './relay.ts'
export {
  ConnectionEndedError,
  NoAnswerError,
  RefusedError,
  RestartingError,
  refuse,
  UnreachableError,
} from './report.ts'
export { shareOfUsers, ThreadShare } from './thread-share.ts'
export { contextOf, type TlsIdentity, tlsName } from './tls-identity.ts'
export { serveTls, type TlsServer } from './tls-server.ts'
export { restartsFile, waitsFile } from './waits-file.ts'
