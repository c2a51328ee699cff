/** Values of the store: JSON as bytes. */
export const toBytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

/** undefined where it is not JSON: the parser of the record then says that it is none. */
export function fromBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
