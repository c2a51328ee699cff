import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import protobuf from 'protobufjs'
import { expect, test } from 'vitest'
import { descriptor } from '../../src/store/etcd/generated/descriptor.ts'

test("the daemon speaks the part of etcd's API that stands in proto/etcd/rpc.proto", () => {
  const source = readFileSync(join(import.meta.dirname, '../../proto/etcd/rpc.proto'), 'utf8')
  expect(descriptor).toEqual(JSON.parse(JSON.stringify(protobuf.parse(source, { keepCase: true }).root.toJSON())))
})
