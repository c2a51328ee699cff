/** The codes with which a daemon refuses a caller that it does not take for a member, as the caller reads them. */

/** What a node that was removed while it was away hears from the others. */
export const removedCode = 'removed'

/** The same call may be answered once this node has quorum. */
export const notCurrentCode = 'no-quorum'

export const disputedCode = 'disputed'
export const otherKeyCode = 'other-key'

export const notAdmitted: readonly string[] = [removedCode, otherKeyCode]
