/** A failure of the world outside. Its message is a sentence for people, so that its name need not stand before it. */
export class OutsideError extends Error {}
