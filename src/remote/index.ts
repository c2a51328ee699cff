/**
 * A node that only executes: the connection between it and the cluster node that holds it. It carries commands one way, results
 * and agents' calls the other, and knows who may command; what is carried it does not decide upon (docs/adr/0014-remote-nodes.md).
 */
export type { CallHandlers, OwnerCalls, OwnRequest, RemoteCalls } from './calls.ts'
export { connectRemote, type RemoteAddress, type RemoteLink, RemoteUnreachableError } from './connect.ts'
export { fitsOwner, fitsRemote, mostGroups, mostSecretNames } from './forms.ts'
export { type HardwareCalls, hardwareForm, measured } from './hardware-calls.ts'
export { CallFailedError, type LinkEnd, LinkEndedError } from './link.ts'
export { nobody, type Ownership } from './ownership.ts'
export { type OwnerLink, serveRemote } from './serve.ts'
export {
  isTaskAnswer,
  mostOutputBytes,
  mostTaskFolders,
  type RemoteFilePart,
  type TaskAnswer,
  type TaskCalls,
  type TaskWork,
} from './task-calls.ts'
