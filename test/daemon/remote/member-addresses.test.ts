import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Log } from '../../../src/daemon/host/log.ts'
import { memberAddresses, remoteRules } from '../../../src/daemon/node-list/known-hosts.ts'
import { MemberAddresses } from '../../../src/daemon/remote/member-addresses.ts'
import { readRemoteSettings } from '../../../src/daemon/remote/remote-settings.ts'

let pki: string
let warned: unknown[]
const quiet = (): void => undefined
const log: Log = { debug: quiet, info: quiet, error: quiet, warn: (...words) => void warned.push(words) }

beforeEach(() => {
  pki = mkdtempSync(join(tmpdir(), 'systole-members-'))
  warned = []
})
afterEach(() => rmSync(pki, { recursive: true, force: true }))

describe('the addresses from which cluster nodes come, on a remote node', () => {
  test('are what the cluster has told last and whoever has held the connection, also after a restart', () => {
    const first = new MemberAddresses({ pki }, log)
    expect(first.known).toEqual([])
    expect(first.note({ from: '10.88.0.1', told: undefined })).toBe(true)
    expect(first.isTold).toBe(false)
    expect(first.note({ from: '10.88.0.1', told: ['10.0.0.2', '10.0.0.1'] })).toBe(true)
    expect(first.note({ from: '10.88.0.1', told: ['10.0.0.2', '10.0.0.1'] })).toBe(false)
    first.note({ from: undefined, told: ['10.0.0.1', '10.0.0.3'] })
    expect(first.known).toEqual(['10.0.0.1', '10.0.0.3', '10.88.0.1'])
    const next = new MemberAddresses({ pki }, log)
    expect([next.known, next.isTold]).toEqual([first.known, true])
  })

  test('of those that were only seen, the newest 32 are kept', () => {
    const members = new MemberAddresses({ pki }, log)
    for (let host = 1; host <= 40; host++) members.note({ from: `10.0.0.${host}`, told: undefined })
    expect(members.known).toHaveLength(32)
    expect(members.known).toContain('10.0.0.40')
    expect(members.known).not.toContain('10.0.0.8')
  })

  test('are begun anew where the file is damaged, and go on where it cannot be written', () => {
    writeFileSync(join(pki, 'members'), 'told 10.0.0.1\ntold ; drop\nseen\n\u0000')
    const members = new MemberAddresses({ pki }, log)
    expect(members.known).toEqual(['10.0.0.1'])
    rmSync(join(pki, 'members'))
    mkdirSync(join(pki, 'members'))
    expect(members.note({ from: '10.0.0.7', told: undefined })).toBe(true)
    expect(members.known).toContain('10.0.0.7')
    expect(warned).toHaveLength(1)
  })

  test('are a text of lines', () => {
    new MemberAddresses({ pki }, log).note({ from: 'fd00::9', told: ['10.0.0.1', 'nobody', 'fe80::1%eth0'] })
    expect(readFileSync(join(pki, 'members'), 'utf8')).toBe('told 10.0.0.1\nseen fd00::9\n')
  })
})

describe('the table of a remote node', () => {
  const at = { address: undefined, port: 3121, known: ['10.0.0.1'], isClosed: false }

  test('limits strangers, and drops them only where its administrator says so', () => {
    expect(remoteRules(at)).toEqual({ hosts: ['10.0.0.1'], closed: [], limited: [3121] })
    expect(remoteRules({ ...at, isClosed: true })).toEqual({ hosts: ['10.0.0.1'], closed: [3121], limited: [] })
  })

  test('is none where it listens on the loopback device alone', () =>
    expect(remoteRules({ ...at, address: '127.0.0.2' })).toBeUndefined())

  test('is told the addresses that mean the same on every host', () => {
    const nodes = ['10.0.0.1', 'fe80::1%eth0'].map((address) => ({ address }))
    expect(memberAddresses({ nodes } as never)).toEqual(['10.0.0.1'])
    expect(memberAddresses({ nodes: [{ address: 'n1.example' }] } as never)).toBeUndefined()
  })
})

describe('the setting members-only', () => {
  const settings = (text: string) => {
    writeFileSync(join(pki, 'remote.json'), text)
    return readRemoteSettings(join(pki, 'remote.json'), {})
  }

  test('is off where it is left out', () => {
    expect(settings('{}').membersOnly).toBe(false)
    expect(settings('{"members-only": true}').membersOnly).toBe(true)
  })

  test('is true or false', () => expect(() => settings('{"members-only": "yes"}')).toThrow('true or false'))
})
