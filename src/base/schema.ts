/** What we use of JSON Schema: the formats of files are published as it, and checked by it (`check-schema.ts`). A `title` is what a sentence about a wrong value calls the right one. */
export interface Schema {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
  readonly $schema?: string
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null'
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false
  readonly minProperties?: number
  readonly maxProperties?: number
  /** Alternatives of different types. */
  readonly oneOf?: readonly Schema[]
}
