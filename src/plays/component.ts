/** A component of Directord: a verb with what follows it, as `RUN: --stdout-arg host hostname`. */

export interface PlayFile {
  readonly name: string
  /** Base64. */
  readonly data: string
  readonly mode: number
}

export interface Component {
  readonly verb: string
  /** As written, for people. */
  readonly label: string
  /** By their names without `--`; a switch is `''`. */
  readonly options: Readonly<Record<string, string>>
  /** What follows the options: one text for a command, else words. */
  readonly text?: string
  readonly words?: readonly string[]
  /** What ADD and COPY bring, and the program of a component of a user. */
  readonly files?: readonly PlayFile[]
}
