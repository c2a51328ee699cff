import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import protobuf from 'protobufjs/light.js'
import { expect, test } from 'vitest'
import { type MessageName, messageType } from '../../src/rpc/forms/codec.ts'
import { descriptor } from '../../src/rpc/generated/systole.ts'

test('the generated messages are those of proto/systole.proto', () => {
  const project = resolve(import.meta.dirname, '../..')
  const printed = execFileSync(process.execPath, ['scripts/run.mjs', 'scripts/generate-rpc.ts', '--print'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(readFileSync(resolve(project, 'src/rpc/generated/systole.ts'), 'utf8')).toBe(printed)
})

test('each message is made by itself as it is among all of them', () => {
  const all = protobuf.Root.fromJSON(descriptor)
  const names = messagesIn(all.lookup('systole'))
  expect(names.length).toBeGreaterThan(120)
  for (const name of names) {
    const [made, whole] = [messageType(name as MessageName), all.lookupType(`systole.${name}`)]
    expect(described(made), name).toEqual(described(whole))
    expect(() => whole.decode(made.encode(made.create()).finish())).not.toThrow()
  }
})

function messagesIn(inside: protobuf.ReflectionObject | null, before = ''): readonly string[] {
  if (!(inside instanceof protobuf.Namespace)) return []
  return inside.nestedArray.flatMap((one) =>
    one instanceof protobuf.Type ? [`${before}${one.name}`, ...messagesIn(one, `${before}${one.name}.`)] : [],
  )
}

/** With the types that its fields have been found to be. */
const described = (type: protobuf.Type): unknown => [
  JSON.stringify(type),
  type.fieldsArray.map((field) => [
    field.name,
    field.resolve().resolvedType?.fullName,
    Boolean(field.hasPresence),
    field.packed,
  ]),
]
