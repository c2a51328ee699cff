import { expect, test } from 'vitest'
import { parseXml, permissionsOf } from '../../../src/cib/index.ts'
import { mayRunJobs } from '../../../src/daemon/access/job-rights.ts'
import type { Rights } from '../../../src/daemon/access/rights.ts'

const withRoles = (permissions: string): Rights => {
  const parsed = parseXml(
    `<cib><configuration><acls><acl_role id="r">${permissions}</acl_role><acl_target id="anna"><role id="r"/></acl_target></acls></configuration></cib>`,
  )
  if (!parsed.ok) throw new Error('no XML')
  return { kind: 'limited', user: 'anna', permissions: permissionsOf(parsed.value, { name: 'anna', groups: [] }) ?? [] }
}
const job = '<acl_permission id="p1" kind="write" object-type="job"/>'

const cases: readonly { readonly name: string; readonly rights: Rights; readonly may: boolean }[] = [
  { name: 'root', rights: { kind: 'all', user: 'root', mayNameAnother: true }, may: true },
  { name: 'hacluster', rights: { kind: 'all', user: 'hacluster', mayNameAnother: true }, may: false },
  { name: 'haclient without access control', rights: { kind: 'all', user: 'anna', mayNameAnother: false }, may: false },
  { name: 'a role that names jobs', rights: withRoles(job), may: true },
  { name: 'a role that may read them', rights: withRoles(job.replace('write', 'read')), may: false },
  {
    name: 'a role that names them and denies them',
    rights: withRoles(`${job}<acl_permission id="p2" kind="deny" object-type="job"/>`),
    may: false,
  },
  {
    name: 'a role that may write all of the CIB',
    rights: withRoles('<acl_permission id="p1" kind="write" xpath="/cib"/>'),
    may: false,
  },
  {
    name: 'a role for one object of that type',
    rights: withRoles('<acl_permission id="p1" kind="write" object-type="job" reference="x"/>'),
    may: false,
  },
]

for (const { name, rights, may } of cases)
  test(`${name} ${may ? 'may' : 'may not'} run jobs`, () => {
    if (may) expect(mayRunJobs(rights)).toMatchObject({ user: rights.user })
    else expect(() => mayRunJobs(rights)).toThrow(/only root may run and read them/)
  })
