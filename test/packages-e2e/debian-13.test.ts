import { testRolesOn } from './roles.ts'

/** `scripts/install.sh packages` has unpacked it. */
testRolesOn({ release: '13', root: '/var/cache/systole/debian-13' })
