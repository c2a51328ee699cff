/**
 * Messages to bytes and back, by the descriptor made from proto/systole.proto. What arrives has the type of its message
 * or the bytes are refused: this is the edge where bytes become types, so what is behind it checks nothing again.
 */
import protobuf from 'protobufjs/light.js'
import { descriptor, type Messages } from '../generated/systole.ts'

export type MessageName = keyof Messages

const declared: Readonly<Record<string, protobuf.AnyNestedObject>> = descriptor.nested.systole.nested
const root = new protobuf.Root()
const namespace = root.define('systole')
const types = new Map<MessageName, protobuf.Type>()

/** Made when it is used: to make the types of all messages takes longer than most commands do. */
export function messageType(name: MessageName): protobuf.Type {
  const known = types.get(name)
  if (known) return known
  declare(name.split('.')[0] ?? name)
  root.resolveAll()
  const type = root.lookupType(`systole.${name}`)
  types.set(name, type)
  return type
}

/** With those that are inside it. */
function declare(name: string): void {
  const one = declared[name]
  if (one === undefined || namespace.get(name) !== null) return
  const isService = !('fields' in one || 'values' in one)
  if (isService) return
  namespace.addJSON({ [name]: one })
  for (const inner of typesIn(one)) declare(inner)
}

/** The names of the types of its fields, whether they are declared beside it or in it. */
function typesIn(one: protobuf.AnyNestedObject): readonly string[] {
  const fields = 'fields' in one ? Object.values(one.fields).map(({ type }) => type) : []
  const nested = 'nested' in one && one.nested !== undefined ? Object.values(one.nested) : []
  return [...fields, ...nested.flatMap(typesIn)]
}

export function encode<Name extends MessageName>(name: Name, message: Messages[Name]): Buffer {
  const type = messageType(name)
  return Buffer.from(type.encode(type.fromObject(message)).finish())
}

const asWritten: protobuf.IConversionOptions = { enums: String, defaults: true, arrays: true, objects: true }

export function decode<Name extends MessageName>(name: Name, bytes: Uint8Array): Messages[Name] {
  const type = messageType(name)
  return complete(type, type.toObject(type.decode(bytes), asWritten)) as unknown as Messages[Name]
}

/** A message inside a message that the sender left out reads as an empty one, as proto3 has it for every other field; one that is `optional` is left out. */
function complete(type: protobuf.Type, value: Record<string, unknown>): Record<string, unknown> {
  for (const { name, inner } of messageFields(type))
    value[name] ??= complete(inner, inner.toObject(inner.create(), asWritten))
  return value
}

interface MessageField {
  readonly name: string
  readonly inner: protobuf.Type
}

const messageFieldsOf = new WeakMap<protobuf.Type, readonly MessageField[]>()

function messageFields(type: protobuf.Type): readonly MessageField[] {
  const known = messageFieldsOf.get(type)
  if (known) return known
  const fields = type.fieldsArray.flatMap((field): readonly MessageField[] => {
    const inner = field.resolve().resolvedType
    const isOptional = field.getOption('proto3_optional') === true
    if (!(inner instanceof protobuf.Type) || field.repeated || field.map || isOptional) return []
    return [{ name: field.name, inner }]
  })
  messageFieldsOf.set(type, fields)
  return fields
}
