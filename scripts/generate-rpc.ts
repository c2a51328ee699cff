/**
 * Turns proto/systole.proto into src/rpc/generated/systole.ts: the descriptor that protobufjs encodes and decodes with,
 * and a type for every message. The result is committed, so that neither a build nor a test needs this step;
 * test/rpc notices an old one (`--print` only prints).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import protobuf from 'protobufjs'

const project = process.cwd()
const target = resolve(project, 'src/rpc/generated/systole.ts')

function generate(proto: string): string {
  const { root } = protobuf.parse(proto, { keepCase: false })
  root.resolveAll()
  const namespace = root.lookup('systole')
  if (!(namespace instanceof protobuf.Namespace)) throw new Error('proto/systole.proto declares no package systole')
  const parts = ['/* Made from proto/systole.proto by scripts/generate-rpc.ts. Do not edit. */', '']
  for (const type of messagesIn(namespace)) parts.push(interfaceOf(type), '')
  parts.push('export interface Messages {')
  for (const type of messagesIn(namespace)) parts.push(`  readonly '${shortName(type)}': ${typeName(type)}`)
  parts.push('}', '')
  for (const service of namespace.nestedArray.filter((nested) => nested instanceof protobuf.Service))
    parts.push(serviceConstant(service), '')
  parts.push(`export const descriptor = ${JSON.stringify(root.toJSON())}`, '')
  return parts.join('\n')
}

function messagesIn(namespace: protobuf.NamespaceBase): readonly protobuf.Type[] {
  return namespace.nestedArray.flatMap((nested) =>
    nested instanceof protobuf.Type ? [nested, ...messagesIn(nested)] : [],
  )
}

/** `ClusterState.Votes` becomes `ClusterStateVotes` in TypeScript. */
function shortName(type: protobuf.ReflectionObject): string {
  return type.fullName.replace(/^\.systole\./, '')
}

function typeName(type: protobuf.ReflectionObject): string {
  return shortName(type).replaceAll('.', '')
}

function interfaceOf(type: protobuf.Type): string {
  const lines = [`export interface ${typeName(type)} {`]
  for (const field of type.fieldsArray) {
    const message = field.resolvedType instanceof protobuf.Type
    const optional = !field.repeated && (message ? field.getOption('proto3_optional') === true : field.hasPresence)
    lines.push(`  readonly ${field.name}${optional ? '?' : ''}: ${fieldType(field)}`)
  }
  return [...lines, '}'].join('\n')
}

function fieldType(field: protobuf.Field): string {
  const single = scalarTypes[field.type] ?? resolvedName(field)
  if (field.map) return `Readonly<Record<string, ${single}>>`
  return field.repeated ? `readonly ${single.includes('|') ? `(${single})` : single}[]` : single
}

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  double: 'number',
  uint32: 'number',
}

function resolvedName(field: protobuf.Field): string {
  if (field.resolvedType instanceof protobuf.Enum)
    return Object.keys(field.resolvedType.values)
      .map((value) => `'${value}'`)
      .join(' | ')
  if (field.resolvedType instanceof protobuf.Type) return typeName(field.resolvedType)
  throw new Error(`${field.fullName} has the type '${field.type}', for which scripts/generate-rpc.ts has no word`)
}

function serviceConstant(service: protobuf.Service): string {
  const lines = [`export const ${service.name.toLowerCase()}Service = {`]
  for (const method of service.methodsArray)
    lines.push(
      `  ${method.name.charAt(0).toLowerCase()}${method.name.slice(1)}: { path: '/systole.${service.name}/${method.name}', ` +
        `request: '${method.requestType}', response: '${method.responseType}', ` +
        `requestStream: ${method.requestStream === true}, responseStream: ${method.responseStream === true} },`,
    )
  return [...lines, '} as const'].join('\n')
}

const generated = generate(readFileSync(resolve(project, 'proto/systole.proto'), 'utf8'))
if (process.argv.includes('--print')) process.stdout.write(generated)
else writeFileSync(target, generated)
