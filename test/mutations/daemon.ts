/** Mutations of the daemon's driver and of what it wires to the core (see mutations.ts). */
import type { Mutation } from './mutations.ts'

export const daemonDriver: Readonly<Record<string, readonly Mutation[]>> = {
  'src/daemon/node/node-driver.ts': [
    ['a command after the end is never answered', 'if (this.#ended) return resolve(closing)', ''],
    [
      'commands under way are never answered at the end',
      'for (const { resolve } of this.#answers.values()) resolve(closing)',
      '',
    ],
    ['the highest term is not said', 'highestTerm: this.#ports.executor()?.highestTerm', 'highestTerm: undefined'],
    [
      'a plan that could not be made is not reported',
      "(error: unknown): NodeInput => ({ kind: 'own-stops-not-planned', id, message: String(error) })",
      "(error: unknown): NodeInput => ({ kind: 'own-stops-not-planned', id: -1, message: String(error) })",
    ],
    [
      'a stop that failed is not reported',
      "({ kind: 'own-stops-not-done', id: effect.id, message: String(error) })",
      "({ kind: 'own-stops-not-done', id: -1, message: String(error) })",
    ],
    ['all that may run is forgotten', 'mayRun: executor?.mayRun ?? []', 'mayRun: []'],
    [
      'what could not be stopped is forgotten',
      '(await executor?.stopLocally(operations)) ?? [])',
      '(await executor?.stopLocally(operations), []))',
    ],
    ['the executor does not know of quorum', 'executor()?.setQuorum(effect.quorate)', ''],
    ['the load is not said', '({ ...(await answer), ...load() })', 'await answer'],
    ['the loop goes on after the end', 'this.#loop.end()', ''],
    ['the alarm rings after the end', 'this.#alarm.cancel()', ''],
    ['the end of this node is not performed', 'this.#ports.depart(effect)', ''],
    [
      'a written record is not reported',
      "written: (ok) => this.feed({ kind: 'presence', input: { kind: 'written', ok } })",
      'written: () => undefined',
    ],
  ],
  'src/daemon/host/core-loop.ts': [
    ['an effect that feeds back does not wait its turn', 'if (this.#busy) return', ''],
    ['a core is fed after its end', 'if (this.#ended) return', ''],
    ['an effect that throws stops the core', '} finally {\n      this.#busy = false\n    }', '} finally {\n    }'],
    ['nobody ticks the core', 'if (!this.#ended) this.#alarm.set(this.#core.nextAt(this.#state))', ''],
    ['a core that has ended sets its alarm', 'if (!this.#ended) this.#alarm.set', 'this.#alarm.set'],
  ],
  'src/daemon/node/perform-presence.ts': [
    ['a node registers before its results are written', 'await ports.resultsWritten()', ''],
    [
      'a removed node registers',
      'if (listed && !decodeNodeList(listed).nodes.some(({ name }) => name === member.node)) return false',
      '',
    ],
    ['a record that was refused counts as written', 'written(false)', 'written(true)'],
    ['a member is registered without its lease', ', lease: effect.lease as LeaseId }', ' }'],
  ],
  'src/daemon/node/commands.ts': [
    [
      'what did not arrive for sure counts as refused',
      "return notTaken('unknown', error instanceof",
      "return notTaken('refused', error instanceof",
    ],
    ['what a node does not understand is asked again', "[...notAdmitted, 'bad-message']", '[...notAdmitted]'],
    [
      'older versions get a delete',
      'action: JSON.stringify(asAnyVersionReadsIt(action))',
      'action: JSON.stringify(action)',
    ],
  ],
  'src/daemon/shared-state/quorum-soon.ts': [
    [
      'a moment without quorum refuses commands',
      'const leftMs = node.quorateUntil + momentMs',
      'const leftMs = node.quorateUntil',
    ],
    ['quorum that is long lost is waited for', 'leftMs > 0 &&', ''],
  ],
  'src/daemon/node/restart-notice.ts': [
    ['an announcement is not taken back', 'announced === undefined || announced === incarnation', 'true'],
    [
      'it is taken back before this life is registered',
      'if (members.get(self)?.incarnation !== incarnation) return',
      '',
    ],
    ['a store that does not answer holds the restart up', 'await Promise.race([put, late])', 'await put'],
    ['the word of an earlier life counts', 'member === undefined || member.incarnation === incarnation', 'true'],
  ],
  'src/daemon/node/own-troubles.ts': [
    [
      'what comes and goes is reported',
      'lasting.includes(trouble) || (before.includes(trouble) && found.includes(trouble))',
      'true',
    ],
  ],
  'src/daemon/attributes/dampened-attributes.ts': [
    ['an attribute that changed meanwhile is overwritten', 'compare: [isDc, ...seen]', 'compare: [isDc]'],
    ['an earlier DC writes attributes', 'compare: [isDc, ...seen]', 'compare: [...seen]'],
  ],
}
