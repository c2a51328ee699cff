/**
 * Pacemaker's own scheduler cases, where a checkout has them beside it. They are not the project's to pass on, so that nobody needs them: the
 * rules that they show have cases of their own here, and `npm test` says in one line when they are not there.
 */
import { existsSync } from 'node:fs'

export const pacemakerSuite = new URL('../../../shared/pacemaker-scheduler/', import.meta.url)
/** The CIBs. */
export const pacemakerCases = new URL('xml/', pacemakerSuite)
export const havePacemakerCases = existsSync(pacemakerCases)
