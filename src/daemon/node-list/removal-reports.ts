/** What the others say of this host, one after the other: more than half of those that its own list names must agree. */
export class RemovalReports {
  readonly #said = new Set<string>()

  /** `removed`: that one finds this host in its list no more. */
  take(from: string, removed: boolean): void {
    if (removed) this.#said.add(from)
    else this.#said.delete(from)
  }

  agreed(others: readonly string[]): boolean {
    return others.filter((name) => this.#said.has(name)).length > others.length / 2
  }
}
