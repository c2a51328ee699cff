import type { Member, MemberLink } from '../../rpc/index.ts'

/** In the order of their numbers. A daemon that is older than this command and knows no links tells one address, which is link 0. */
export const linksOf = ({ address, links }: Member): readonly MemberLink[] =>
  links.length > 0 ? links : [{ number: 0, address, priority: 1, state: 'unknown' }]
