/** ADD, COPY and WORKDIR: files and folders with owner and permissions. A file that is there already, with that content, is left alone. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import type { Component } from '../../../plays/index.ts'
import { whyShared } from '../../jobs/own-folder.ts'
import { render } from './blueprint.ts'
import { runCommand } from './run-command.ts'

export type Render = (text: string) => string

/** Whether anything was changed. */
export async function putFiles(
  { options, words = [], files = [] }: Component,
  rendered: Render,
  values: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const target = rendered(words[1] ?? '')
  if (!isAbsolute(target)) throw new Error(`'${target}' is not an absolute path.`)
  let isChanged = false
  for (const file of files) {
    const path = target.endsWith('/') ? join(target, basename(file.name)) : target
    const data = Buffer.from(file.data, 'base64')
    const content = options.blueprint === undefined ? data : Buffer.from(render(data.toString('utf8'), values))
    const mode = options.chmod === undefined ? file.mode : Number.parseInt(options.chmod, 8)
    const owner = options.chown === undefined ? undefined : ownerOf(options.chown)
    if (await put({ path, content, mode, owner })) isChanged = true
  }
  return isChanged
}

interface Put {
  readonly path: string
  readonly content: Buffer
  readonly mode: number
  readonly owner: Owner | undefined
}

async function put({ path, content, mode, owner }: Put): Promise<boolean> {
  if (!existsSync(dirname(path))) throw new Error(`There is no folder ${dirname(path)}.`)
  if (existsSync(path) && statSync(path).isDirectory()) throw new Error(`${path} is a folder: end it with a slash.`)
  const isThere =
    existsSync(path) &&
    lstatSync(path).isFile() &&
    statSync(path).size === content.length &&
    sum(readFileSync(path)) === sum(content)
  const known = isThere ? statSync(path) : undefined
  const isOwned =
    owner === undefined || (known?.uid === owner.uid && (owner.gid === undefined || known.gid === owner.gid))
  if (isThere && (known?.mode ?? 0) % 0o10000 === mode && isOwned) {
    process.stdout.write(`${path} is there already.\n`)
    return false
  }
  if ((await whyShared(dirname(path))) !== undefined) {
    await putAsOwner({ path, content, mode, owner })
    return true
  }
  const own = join(dirname(path), `.${basename(path)}.systole-${process.pid}`)
  try {
    writeFileSync(own, content, { mode: 0o600, flag: 'wx' })
    if (owner) chownSync(own, owner.uid, owner.gid ?? statSync(own).gid)
    chmodSync(own, mode)
    renameSync(own, path)
  } finally {
    rmSync(own, { force: true })
  }
  process.stdout.write(`Wrote ${path}.\n`)
  return true
}

/** Whoever can change the folder could lead root elsewhere: the file is written with the rights of the folder's owner, who can do that much anyway. */
async function putAsOwner({ path, content, mode, owner }: Put): Promise<void> {
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) throw new Error(`${await whyShared(dirname(path))}`)
  if (owner !== undefined && owner.uid !== uid)
    throw new Error(`${dirname(path)} belongs to the user ${uid}: a file there can belong to that user only.`)
  const script =
    'umask 077; own=$(mktemp "$1/.systole-XXXXXX") && cat > "$own" && chmod "$2" "$own" && mv -fT "$own" "$3"'
  const words = ['/bin/sh', '-c', script, 'put', dirname(path), mode.toString(8), path]
  const as = ['setpriv', `--reuid=${uid}`, `--regid=${owner?.gid ?? gid}`, '--clear-groups']
  const { exitCode, stderr } = await runCommand([...as, ...words], {
    environment: {},
    timeoutMs: 60_000,
    stdin: content,
  })
  if (exitCode !== 0) throw new Error(`${path} cannot be written as the user ${uid}: ${stderr.trim()}`)
  process.stdout.write(`Wrote ${path} as the user ${uid}.\n`)
}

const sum = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

export async function makeFolder({ options, words = [] }: Component, rendered: Render): Promise<void> {
  const written = rendered(words[0] ?? '')
  if (!isAbsolute(written)) throw new Error(`'${written}' is not an absolute path.`)
  const path = resolve(written)
  const mode = options.chmod === undefined ? undefined : Number.parseInt(options.chmod, 8)
  const owner = options.chown === undefined ? undefined : ownerOf(options.chown)
  if ((await whyShared(nearest(dirname(path)))) !== undefined) return await makeFolderAsOwner({ path, mode, owner })
  mkdirSync(dirname(path), { recursive: true })
  // Meanwhile somebody may have put a link of his into /tmp, or has one there.
  const isLink = existsSync(path) && lstatSync(path).isSymbolicLink()
  const why = await whyShared(isLink ? path : dirname(path))
  if (why !== undefined) throw new Error(why)
  const real = isLink ? realpathSync(path) : path
  mkdirSync(real, { recursive: true })
  const folder = openSync(real, constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    if (owner) fchownSync(folder, owner.uid, owner.gid ?? fstatSync(folder).gid)
    if (mode !== undefined) fchmodSync(folder, mode)
  } finally {
    closeSync(folder)
  }
}

/** That is there: the folder, or one above it. */
const nearest = (path: string): string => (existsSync(path) ? path : nearest(dirname(path)))

async function makeFolderAsOwner({
  path,
  mode,
  owner,
}: {
  readonly path: string
  readonly mode: number | undefined
  readonly owner: Owner | undefined
}): Promise<void> {
  const above = nearest(dirname(path))
  const { uid, gid } = statSync(above)
  if (uid === 0) throw new Error(`${await whyShared(above)}`)
  if (owner !== undefined && owner.uid !== uid)
    throw new Error(`${above} belongs to the user ${uid}: a folder there can belong to that user only.`)
  const script = 'mkdir -p "$1" && { [ -z "$2" ] || chgrp "$2" "$1"; } && { [ -z "$3" ] || chmod "$3" "$1"; }'
  const words = ['/bin/sh', '-c', script, 'folder', path, String(owner?.gid ?? ''), mode?.toString(8) ?? '']
  const as = ['setpriv', `--reuid=${uid}`, `--regid=${owner?.gid ?? gid}`, '--clear-groups']
  const { exitCode, stderr } = await runCommand([...as, ...words], { environment: {}, timeoutMs: 60_000 })
  if (exitCode !== 0) throw new Error(`${path} cannot be made as the user ${uid}: ${stderr.trim()}`)
}

interface Owner {
  readonly uid: number
  readonly gid?: number
}

function ownerOf(written: string): Owner {
  const [user = '', group] = written.split(':')
  const uid = idOf(user, '/etc/passwd', 'user')
  return group === undefined || group === '' ? { uid } : { uid, gid: idOf(group, '/etc/group', 'group') }
}

function idOf(name: string, file: string, what: string): number {
  if (/^\d+$/.test(name)) return Number(name)
  const line = readFileSync(file, 'utf8')
    .split('\n')
    .find((one) => one.startsWith(`${name}:`))
  if (line === undefined) throw new Error(`There is no ${what} '${name}' on this node.`)
  return Number(line.split(':')[2])
}
