/** By code unit, whatever the language of the machine. */
export const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
