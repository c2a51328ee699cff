/** What the system says where a machine has no room for another file, process or memory. It may have it again a moment later. */
const codes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

export const isShortage = (code: unknown): boolean => codes.has(code)
