/**
 * Asks PAM whether a password is a user's, once, and ends: modules of PAM run in this process, with its rights, and have nothing else here to see. The
 * service is `systole`; where the host has no file for it, PAM takes its service `other`.
 */
import { text } from 'node:stream/consumers'
import koffi from 'koffi'
import { object, parse, string } from 'valibot'
import type { PamAnswer, PamQuestion } from './pam.ts'

const service = 'systole'
/** The numbers are Linux-PAM's (security/_pam_types.h). */
const promptWithoutEcho = 1
const promptWithEcho = 2
const remoteHost = 4
/** An account without a password would be let in with any: nobody comes over the net without one. */
const disallowNullPassword = 1
const silent = 0x8000
const flags = silent | disallowNullPassword
const success = 0
const wrongCodes: ReadonlySet<number> = new Set([6, 7, 8, 10, 11])
const bytesOfAnswer = 16

const question = parse(
  object({ user: string(), password: string(), from: string() }),
  JSON.parse(await text(process.stdin)),
)
process.stdout.write(JSON.stringify(ask(question)))

function ask({ user, password, from }: PamQuestion): PamAnswer {
  const pam = openPam(password)
  const handle: unknown[] = [null]
  const begun = pam.start(service, user, pam.conversation, handle)
  if (begun !== success) return { kind: 'failed', why: 'pam_start has failed' }
  const [opened] = handle
  const why = (code: number): string => String(pam.strerror(opened, code)).replace(/\.$/, '')
  pam.setItem(opened, remoteHost, from)
  const known = pam.authenticate(opened, flags)
  const allowed = known === success ? pam.accountManagement(opened, flags) : known
  const answer: PamAnswer =
    known !== success
      ? wrongCodes.has(known)
        ? { kind: 'wrong' }
        : { kind: 'failed', why: why(known) }
      : allowed === success
        ? { kind: 'ok' }
        : { kind: 'refused', why: why(allowed) }
  pam.end(opened, allowed)
  return answer
}

function openPam(password: string) {
  const library = koffi.load('libpam.so.0')
  const libc = koffi.load(null)
  // PAM frees what it is answered.
  const calloc = libc.func('void *calloc(size_t, size_t)')
  const strdup = libc.func('void *strdup(const char *)')
  koffi.struct('pam_message', { style: 'int', text: 'const char *' })
  koffi.struct('pam_response', { text: 'void *', code: 'int' })
  const converse = koffi.proto('int pam_converse(int count, void *messages, void *answers, void *data)')
  koffi.struct('pam_conv', { converse: koffi.pointer(converse), data: 'void *' })
  const answerAll = (count: number, messages: unknown, answers: unknown): number => {
    const pointers = koffi.decode(messages, koffi.array('void *', count)) as readonly unknown[]
    const answered: unknown = calloc(count, bytesOfAnswer)
    pointers.forEach((pointer, index) => {
      const { style } = koffi.decode(pointer, 'pam_message') as { readonly style: number }
      if (style === promptWithoutEcho || style === promptWithEcho)
        koffi.encode(answered, index * bytesOfAnswer, 'pam_response', { text: strdup(password), code: 0 })
    })
    koffi.encode(answers, 'void *', answered)
    return success
  }
  return {
    conversation: { converse: koffi.register(answerAll, koffi.pointer(converse)), data: null },
    start: library.func('int pam_start(const char *, const char *, const pam_conv *, _Out_ void **)'),
    setItem: library.func('int pam_set_item(void *, int, const char *)'),
    authenticate: library.func('int pam_authenticate(void *, int)'),
    accountManagement: library.func('int pam_acct_mgmt(void *, int)'),
    strerror: library.func('const char *pam_strerror(void *, int)'),
    end: library.func('int pam_end(void *, int)'),
  }
}
