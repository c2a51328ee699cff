/** A CIB in a file as a user with roles sees and changes it (`CIB_user`, `cibadmin --user`): to try roles out, since the file itself is the caller's. */
import {
  accessTo,
  aclIsOn,
  applyToWhole,
  firstForbidden,
  permissionsOf,
  readable,
  readConfiguration,
  superusers,
  type XmlElement,
} from '../../cib/index.ts'
import { selectXpath } from '../cib/xpath.ts'
import { exitCodes } from '../exit-codes.ts'
import { refused, type ToolReply } from '../reply.ts'
import { CibFileError } from './cib-file-error.ts'

export interface UsersCib {
  readonly cib: XmlElement
  /** The whole CIB after the user has made this of what is shown. */
  changed(pushed: XmlElement): XmlElement | ToolReply
}

export function cibOf(whole: XmlElement, user: string | undefined): UsersCib {
  const seesAll = user === undefined || user === '' || superusers.includes(user) || !aclIsOn(readConfiguration(whole))
  if (seesAll) return { cib: whole, changed: (pushed) => pushed }
  const accessOf = (cib: XmlElement) =>
    accessTo(cib, permissionsOf(cib, { name: user, groups: [] }) ?? [], (within, xpath) => {
      const found = selectXpath(within, xpath)
      return found.ok ? found.value : undefined
    })
  const access = accessOf(whole)
  const shown = readable(whole, access)
  if (shown === undefined) throw new CibFileError('Permission denied', exitCodes.insufficientPrivileges)
  return {
    cib: shown.cib,
    changed: (pushed) => {
      const after = applyToWhole(shown, pushed)
      const forbidden = firstForbidden({ cib: whole, access }, { cib: after, access: accessOf(after) })
      return forbidden === undefined
        ? after
        : refused(exitCodes.insufficientPrivileges, 'Call failed: Permission denied')
    },
  }
}
