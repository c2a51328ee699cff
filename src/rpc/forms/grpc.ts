/**
 * The forms of gRPC's messages, made from proto/systole.proto: what a field may be is its type, how long a text may be stands here.
 * Texts that are JSON are read by whoever knows their meaning, with a form of their own.
 */

import protobuf from 'protobufjs/light.js'
import * as v from 'valibot'
import type { Messages } from '../generated/systole.ts'
import { decode, type MessageName, messageType } from './codec.ts'
import {
  BadMessageError,
  checked,
  type Form,
  listUpTo,
  nodeForm,
  numberForm,
  textForm,
  textsForm,
  textUpTo,
} from './words.ts'

const mostEntries = 100_000
const wholeCib = 64 * 1024 * 1024

/** Of fields whose texts may be longer than most. */
const longTexts: Readonly<Record<string, number>> = {
  'PushRequest.xml': wholeCib,
  // A PushRequest, in base64.
  'PermissionRequest.request': 2 * wholeCib,
  'CibAnswer.xml': wholeCib,
  'ConfigVersionAnswer.xml': wholeCib,
  'ExecuteRequest.action': 8 * 1024 * 1024,
  'RunFenceDeviceRequest.details': 1024 * 1024,
  'RunFenceDeviceAnswer.details': 1024 * 1024,
  'FollowRequest.json': 1024 * 1024,
  'WitnessAnswer.json': 1024 * 1024,
  'ClusterFile.json': 1024 * 1024,
  'ClusterFileAnswer.json': 1024 * 1024,
  'AttributeRequest.value': wholeCib,
  'RunJobRequest.stdin': 256 * 1024,
  'JobOutput.data': 512 * 1024,
  'FilePart.data': 1024 * 1024,
  'CopyFileRequest.part': 1024 * 1024,
  'StartRolloutRequest.file': 256 * 1024,
  'Rollouts.known': wholeCib,
  'FleetPlans.plans': wholeCib,
  'StartPlayRequest.play': 6 * 1024 * 1024,
  'Plays.known': wholeCib,
  'Lifecycle.known': wholeCib,
  'JournalAnswer.lines': wholeCib,
  'OperationsAnswer.lines': wholeCib,
}

/** Of fields that are kept for long, and are no text of anybody's. */
const shortTexts: Readonly<Record<string, number>> = { 'PushRequest.changeId': 64 }

/** Of a message that has no long text. A long list of nothing is short, and takes long to read. */
const besideLongTexts = 256 * 1024
/** Of a character in UTF-8. */
const mostBytes = 4

/** Bytes of a message of this name that are worth reading. */
export function longestMessage(name: MessageName): number {
  const characters = Object.entries(longTexts).map(([field, most]) => (field.startsWith(`${name}.`) ? most : 0))
  return besideLongTexts + mostBytes * Math.max(...characters)
}

/** What only daemons say of nodes. A person's mistakes in a name are told by the command. */
const nodeNames = new Set(['RunFenceDeviceRequest.target'])

const scalars: Readonly<Record<string, v.GenericSchema>> = { double: numberForm, uint32: numberForm, bool: v.boolean() }

const known = new Map<protobuf.Type, v.GenericSchema>()

function formOf(type: protobuf.Type): v.GenericSchema {
  const before = known.get(type)
  if (before) return before
  const form = v.object(Object.fromEntries(type.fieldsArray.map((field) => [field.name, ofField(type, field)])))
  known.set(type, form)
  return form
}

function ofField(type: protobuf.Type, field: protobuf.Field): v.GenericSchema {
  field.resolve()
  if (field.map) return textsForm(64 * 1024)
  const one = ofValue(field, `${type.name}.${field.name}`)
  if (field.repeated) return listUpTo(mostEntries, one)
  return field.getOption('proto3_optional') === true ? v.exactOptional(one) : one
}

function ofValue({ type, resolvedType }: protobuf.Field, name: string): v.GenericSchema {
  if (resolvedType instanceof protobuf.Type) return formOf(resolvedType)
  // A number that is none of the words is one of a newer version: it is not understood.
  if (resolvedType) return v.picklist(Object.keys(resolvedType.values), 'an unknown word')
  if (type !== 'string') return scalars[type] ?? v.never()
  if (nodeNames.has(name)) return nodeForm
  const most = longTexts[name] ?? shortTexts[name]
  return most === undefined ? textForm : textUpTo(most)
}

/** Throws nothing but a BadMessageError, whatever the bytes are. */
export function readMessage<Name extends MessageName>(name: Name, bytes: Uint8Array): Messages[Name] {
  return checked(formOf(messageType(name)) as unknown as Form<Messages[Name]>, name, decoded(name, bytes))
}

function decoded(name: MessageName, bytes: Uint8Array): unknown {
  try {
    return decode(name, bytes)
  } catch (error) {
    throw new BadMessageError(`${name} cannot be read`, { cause: error })
  }
}
