// Writes src/store/etcd/generated/descriptor.ts from rpc.proto: `node proto/etcd/generate.mjs`. The descriptor is a module, so
// that the bundled daemon needs no file beside it; test/store checks that it is up to date.
import { readFileSync, writeFileSync } from 'node:fs'
import protobuf from 'protobufjs'

const source = readFileSync(new URL('rpc.proto', import.meta.url), 'utf8')
const { root } = protobuf.parse(source, { keepCase: true })
const target = new URL('../../src/store/etcd/generated/descriptor.ts', import.meta.url)
writeFileSync(
  target,
  `/** Made by proto/etcd/generate.mjs from proto/etcd/rpc.proto (Apache-2.0, The etcd Authors). Not edited by hand. */\nexport const descriptor = ${JSON.stringify(root.toJSON())}\n`,
)
