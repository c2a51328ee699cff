/**
 * Fencing. `stepFencing` decides and is what simulations drive; `Fencer` is its acting edge on the DC; `DeviceServer` runs a
 * device on whichever node the DC asks.
 */
export { hostsInList } from './capability.ts'
export {
  type DeviceAction,
  deviceActions,
  type FenceDevice,
  readFenceDevices,
  usedFenceAgents,
} from './device.ts'
export { DeviceServer, type DeviceServerAnswer, isTermOver } from './device-server.ts'
export { type DeviceCommand, Fencer, type FencingRecord } from './fencer.ts'
export { initialFencing, nextFencingAt, stepFencing } from './fencing.ts'
export { isFenceable, levelsFor } from './levels.ts'
export type { FencingDemand } from './request.ts'
export { type FenceHost, fenceDeviceRunner, runDevice } from './run-device.ts'
export {
  endingOf,
  headerBytes,
  isSameName,
  letterOf,
  parseLetter,
  parseSbdHeader,
  parseSlot,
  type SbdHeader,
  type SbdLetter,
  type SbdMessage,
  slotOf,
  slotOffset,
} from './sbd-layout.ts'
export { lookAtTarget, type SelfFencingLook, type SelfFencingWait } from './self-fencing.ts'
export type {
  Announcement,
  DeviceAnswer,
  FencingEffect,
  FencingInput,
  FencingSetup,
  FencingState,
} from './state.ts'
export { disksOfDevice, isThroughDisks } from './through-disks.ts'
export { selfResetMs, watchdogDevice, watchdogDeviceId } from './watchdog.ts'
