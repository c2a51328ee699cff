/**
 * Fencing. `stepFencing` decides which device is told what; the room `node` composes it with what a node knows. `DeviceServer` runs a device on
 * whichever node the DC asks.
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
export { initialFencing, nextFencingAt, stepFencing } from './fencing.ts'
export { isFenceable, levelsFor } from './levels.ts'
export type { FencingDemand } from './request.ts'
export { type FenceHost, fenceDeviceRunner, runDevice } from './run-device.ts'
export {
  endingOf,
  headerBytes,
  isSameName,
  messageSectorOf,
  parseSbdHeader,
  parseSlot,
  parseSlotMessage,
  type SbdHeader,
  type SbdMessage,
  type SlotMessage,
  slotOf,
  slotOffset,
} from './sbd-layout.ts'
export { lookAtTarget, type SelfFencingLook, type SelfFencingWait } from './self-fencing.ts'
export {
  type Announcement,
  type DeviceAnswer,
  type DeviceCommand,
  type FencingEffect,
  type FencingInput,
  type FencingRecord,
  type FencingSetup,
  type FencingState,
  isAtWork,
} from './state.ts'
export { disksOfDevice, isThroughDisks } from './through-disks.ts'
export { selfResetMs, watchdogDevice, watchdogDeviceId } from './watchdog.ts'
