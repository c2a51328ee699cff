import { testRolesOn } from './roles.ts'

/** The Debian of this machine. */
testRolesOn({ release: '12' })
