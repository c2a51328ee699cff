import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Paths, pathsBelow } from '../../src/daemon/host/paths.ts'
import { markStarted, markStopped, setEnabled, takesPart } from '../../src/daemon/host/takes-part.ts'

let root: string
let paths: Paths

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'systole-takes-part-'))
  paths = pathsBelow(root)
  mkdirSync(paths.data, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

/** As if the host had booted since. */
const boot = (): void => writeFileSync(paths.startedMark, 'an earlier boot')

test('a node that was never started takes no part', () => {
  expect(takesPart(paths)).toBe(false)
})

test('a node that was started takes part again, after a boot too', () => {
  markStarted(paths)
  expect(takesPart(paths)).toBe(true)
  boot()
  expect(takesPart(paths)).toBe(true)
})

test('a node that was stopped stays so', () => {
  markStarted(paths)
  markStopped(paths)
  expect(takesPart(paths)).toBe(false)
})

test('a disabled node whose daemon was killed comes back, for its resources run', () => {
  markStarted(paths)
  setEnabled(paths, false)
  expect(takesPart(paths)).toBe(true)
})

test('a disabled node waits for cluster start after a boot, until it is enabled', () => {
  markStarted(paths)
  setEnabled(paths, false)
  boot()
  expect(takesPart(paths)).toBe(false)
  setEnabled(paths, true)
  expect(takesPart(paths)).toBe(true)
})
