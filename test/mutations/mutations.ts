/**
 * Rules that are taken out of the shipped code one at a time (`npm run mutate`): a sentence that says what is broken, the exact text, and what stands
 * there instead. A text must be in its file exactly once: a rule that was written anew gets its mutation written anew.
 */
import { daemonDriver } from './daemon.ts'
import { holdsJobsRollouts } from './rooms-that-decide.ts'

export type Mutation = readonly [broken: string, text: string, instead: string]

export const mutations: Readonly<Record<string, readonly Mutation[]>> = {
  ...holdsJobsRollouts,
  ...daemonDriver,
  'src/node/own-stops.ts': [
    [
      'a node without quorum stops nothing',
      "effects.push({ kind: 'plan-own-stops', id, stopEverything: why !== 'no-quorum' })",
      '',
    ],
    ['no-quorum-policy is not looked at', "if (noQuorumReaction(plan.noQuorumPolicy) === 'fence-self')", 'if (false)'],
    ['a loss of quorum for a moment stops what runs', 'const momentMs = 50', 'const momentMs = 0'],
    [
      'one of two stops what it runs although it is about to go on',
      '!isQuorate(state, now) && !keepsResources(state.twoNode)',
      '!isQuorate(state, now)',
    ],
    [
      'it stops although quorum is back',
      '!isQuorate(state, now) && !keepsResources(state.twoNode)',
      '!keepsResources(state.twoNode)',
    ],
    [
      'a plan that could not be made is not asked for again',
      'const until = monotonicMs(now + retryMs)',
      'const until = monotonicMs(Number.POSITIVE_INFINITY)',
    ],
    [
      'whoever leaves keeps what no-quorum-policy keeps',
      "stopEverything: why !== 'no-quorum' })",
      'stopEverything: false })',
    ],
    ['nobody waits for the store to be read', 'state.met ? readWithinMs : 0', '0'],
    [
      'what is unmanaged counts as left running',
      'leftRunning(mayRun, attempt.phase.unmanaged)',
      'leftRunning(mayRun, [])',
    ],
    [
      'what is left running is forgotten',
      'withOwnStops(without(state, id), { leftRunning: left })',
      'without(state, id)',
    ],
    [
      'what was left running counts although quorum came back',
      'withOwnStops(state, { attempts, leftRunning: [] })',
      'withOwnStops(state, { attempts })',
    ],
    [
      'what waits to be stopped waits on although quorum came back',
      'withOwnStops(state, { attempts, leftRunning: [] })',
      'withOwnStops(state, { leftRunning: [] })',
    ],
    [
      'a second loss of quorum does not wait anew',
      'const others = state.ownStops.attempts.filter((one) => !isWaiting(one))',
      'const others = state.ownStops.attempts',
    ],
  ],
  'src/node/two-node-situation.ts': [
    ['a peer that nobody has reported is silent', "?? 'heard'", "?? 'silent'"],
    ['whoever restarts is silent', "state === 'silent' ? [node] : []", "state !== 'heard' ? [node] : []"],
    ['nodes are fenced by a configuration that nobody knows', 'if (configuration === undefined) return false', ''],
    ['a node that lacks changes goes on without the other', ' || !hasWholeCopy) return', ') return'],
    ['a node without a vote goes on without the other', ' || !hasVote(list, self)', ''],
    ['a peer that is still here counts as down', ' && !view.members.has(peer)', ''],
  ],
  'src/node/own-watchdog-state.ts': [
    ['it is told of before it runs', "if (phase.kind !== 'armed') return {}", "if (phase.kind === 'off') return {}"],
  ],
  'src/node/own-slot.ts': [
    [
      'an old message on a disk is obeyed',
      "received.message === 'clear' || (ends && had.has(open.header.uuid))",
      'true',
    ],
    [
      'a message for this boot is taken for an old one',
      "received.message === 'clear' || (ends && had.has(open.header.uuid))",
      "received.message === 'clear'",
    ],
    [
      'a message that nobody can date counts as old at once',
      'const doubted = ends && isCountedOn',
      'const doubted = false',
    ],
    [
      'a slot that another node has taken is read',
      'if (own !== -1) {',
      "if (own !== -1 || slot.phase.kind === 'takes') {",
    ],
    [
      'a disk that was set up again is read as before',
      'JSON.stringify(header) !== JSON.stringify(open.header)',
      'false',
    ],
    [
      'a disk whose times do not fit is used',
      'if (obstacle === undefined) return readNames(slot, header)',
      "if (obstacle !== '') return readNames(slot, header)",
    ],
    [
      'a disk counts of which it could not be noted that this boot has it',
      "slot.phase.kind === 'notes' || open === undefined ? without : slot",
      "slot.phase.kind === 'notes' ? { ...slot, open: slot.phase.open } : slot",
    ],
    [
      'a message that came after a test is cleared',
      "return answer.received.message === 'test'",
      'return answer.received.message !== undefined',
    ],
  ],
  'src/node/own-disks.ts': [
    [
      'a message that ends this node keeps it alive',
      'reading !== undefined && endingOf(reading.received) === undefined',
      'reading !== undefined',
    ],
    ['the answer of another request counts', 'slot === undefined || slot.call !== call', 'slot === undefined'],
    ['too few disks are enough', 'headers.length < disksToRead(disks.slots.length)', 'headers.length < 1'],
  ],
  'src/node/disk-fencing.ts': [
    ['the store is not told before a message is sent', "if (by === 'alone')", 'if (by !== undefined)'],
    [
      'a node is fenced through disks that it reads no more',
      '  if (obstacle !== undefined) return fails(others, asked, obstacle)\n',
      '',
    ],
    [
      'a message is sent although the store did not take the word',
      'if (written) return',
      'if (written || why === undefined) return',
    ],
    ['a DC whose term is over tries again', 'if (!holdsTerm) return', 'if (false) return'],
    ['whoever is here again is told all the same', 'if (one === undefined || !isWithdrawn) return', 'if (true) return'],
    ['what another wants still is dropped', 'if (one === undefined || !isWithdrawn)', 'if (one === undefined)'],
    ['a word that is being written is forgotten', 'if (one.writes) return', 'if (false) return'],
    ['whoever is here again is told at the next attempt', 'if (one.withdrawn) return', 'if (false) return'],
    ['the word of a message means every boot', '...(bootId === undefined ? {} : { bootId })', ''],
  ],
  'src/node/own-watchdog.ts': [
    [
      'the watchdog is armed before this node is registered',
      'if (wanted.disks === undefined && leaseOfRecord(state) === undefined) return turn(state)',
      '',
    ],
    [
      'it is given up although the DC counts on it',
      'return isForgotten(state) ? turn(state',
      'return true ? turn(state',
    ],
    ['a node that is fenced by its watchdog goes on', 'if (view.selfFencing.get(self) === incarnation)', 'if (false)'],
    [
      'a node ends because an earlier life was meant',
      'if (view.selfFencing.get(self) === incarnation)',
      'if (view.selfFencing.has(self))',
    ],
    [
      'whoever is to end is permitted to live',
      'if (!begun || doomed) return turn(state)',
      'if (!begun) return turn(state)',
    ],
    [
      'a permit is for the lease of an earlier life',
      'record?.incarnation === incarnation ? record.lease',
      'true ? record?.lease',
    ],
    [
      'one of two is fed without a majority although others count on its watchdog',
      'keepsResources(twoNode) && !isCountedOn(option)',
      'keepsResources(twoNode)',
    ],
    [
      'one of two is not fed although it keeps its resources',
      'return keepsResources(twoNode) && !isCountedOn(option) ? { at } : undefined',
      'return undefined',
    ],
    [
      'a node that does not keep its resources is fed without a majority',
      'keepsResources(twoNode) && !isCountedOn(option)',
      '!isCountedOn(option)',
    ],
    [
      'one of two lives by the word of the store',
      'storeKnows: !isOneOfTwo && allTellStore',
      'storeKnows: allTellStore',
    ],
    [
      'the node goes before its watchdog is stopped',
      "return turn(left, tell({ kind: 'disarm' }))",
      "return turn(left, tell({ kind: 'disarm' }), { kind: 'depart', ...departs, disarm: true })",
    ],
    ['a node that leaves arms its watchdog again', 'if (departs !== undefined || (phase', 'if ((phase'],
    [
      'a message on a disk ends nobody',
      'if (ending !== undefined)\n    return andThen(read',
      'if (false)\n    return andThen(read',
    ],
    ['a disk whose times do not fit keeps a node alive', 'patienceMs === undefined ? [] : [tell', 'false ? [] : [tell'],
    [
      'a watchdog is armed that is too slow for its disks',
      'if (times && patienceMs === undefined) return fail',
      'if (false) return fail',
    ],
  ],
  'src/node/node.ts': [
    [
      'a controller’s wishes are performed without quorum',
      "if (effect.kind !== 'controller' || isQuorate(state, now)) return true",
      'return true',
    ],
    [
      'the watchdog is stopped although something is left running',
      'const disarm = !escalated && state.ownStops.leftRunning.length === 0',
      'const disarm = !escalated',
    ],
    [
      'the watchdog is stopped although the node escalates',
      'const disarm = !escalated && state.ownStops.leftRunning.length === 0',
      'const disarm = state.ownStops.leftRunning.length === 0',
    ],
    [
      'the view is acted on before the store was read',
      'if (!state.began) return turn(state)\n  const reported',
      'const reported',
    ],
    [
      'the node registers before it knows what it ran',
      'if (!state.began) return turn(state)\n  const own',
      'const own',
    ],
    [
      'a daemon that begins without quorum leaves running what it finds',
      'return state.met && !quorate',
      'return false && state.met && !quorate',
    ],
    ['a daemon that begins after a boot stops what nobody runs', 'return state.met && !quorate', 'return !quorate'],
    ['the executor never learns that quorum is lost', "{ kind: 'executor-quorum', quorate: false },", ''],
    ['the executor never learns that quorum is there', "{ kind: 'executor-quorum', quorate: true },", ''],
    ['a node that lost quorum keeps its lease', "toPresence(next, { kind: 'lease' }, now))", 'turn(next))'],
    [
      'losing quorum stops nothing',
      "return why === 'left' ? lost : andThen(lost, (next) => stopsWithoutQuorum(next, 0, now))",
      'return lost',
    ],
    ['a node that has left stops what it does not run', "return why === 'left' ? lost : andThen", 'return andThen'],
    ['another lease is no gain of quorum', '(before && lease === state.lease)', 'before'],
    ['a leaving node campaigns on', "andThen(toController(state, { kind: 'leaving' }, now)", 'andThen(turn(state)'],
    [
      'a node that counts as down goes on',
      "return andThen(turn(state, reported), (next) => stopEverything(next, 'declared-down', now))",
      'return turn(state, reported)',
    ],
    [
      'fencing-reaction=panic is not obeyed',
      'if (panicsWhenFenced(state.view.configuration?.typed, state.view.nodeStates.get(state.self)))',
      'if (false)',
    ],
    [
      'a node that has stopped everything does not leave',
      "return toPresence(state, { kind: 'stopped-locally' }, now)",
      'return turn(state)',
    ],
    [
      'the fencer is not told who vouches',
      'const bySurvivor = state.view.confirmedDown.get(change.node)?.reason !== undefined',
      'const bySurvivor = false',
    ],
    [
      'a node that is not confirmed off any more counts as such',
      "if (change.kind !== 'confirmed-down' || !change.confirmed) return turn(state)",
      "if (change.kind !== 'confirmed-down') return turn(state)",
    ],
    ['a node forgets that it had quorum', '{ ...next, lease, met: true }', '{ ...next, lease }'],
    [
      'what is overdue wakes a node again and again',
      'twoNodeAt !== undefined && twoNodeAt > ticked',
      'twoNodeAt !== undefined',
    ],
    [
      'a lease that is prolonged keeps the old end',
      '    { ...state, quorateUntil: until },\n',
      '    { ...state, quorateUntil: monotonicMs(Math.max(until, state.quorateUntil)) },\n',
    ],
  ],
  'src/node/fencing.ts': [
    [
      'a node that is here as somebody new is still switched on',
      "(next) => leaveAsItIs(next, 'alone', { node, now })",
      '(next) => only(next)',
    ],
    [
      'a node is left as it is for the life that was fenced',
      '|| incarnation === meant.get(node)) return only(counted)',
      ') return only(counted)',
    ],
    ['changes of a member are not counted', '(memberChanges.get(node) ?? 0) + 1', '(memberChanges.get(node) ?? 0)'],
    [
      'an administrator’s off holds for the next life too',
      'wantedOff: new Set([...wantedOff].filter((other) => other !== node)),',
      '',
    ],
    [
      'the survivor fences whom it hears while it computes how',
      'if (peer.planning) return',
      'if (peer.planning) return reported\n  if (peer.planning) return',
    ],
    [
      'the survivor does not take its fencing back',
      "return after(reported, (next) => withdraw(next, 'alone', { id: peer.id, now }))",
      'return reported',
    ],
    ['a fencer is not woken when its delay is over', '    nextFencingAt(dc),\n', ''],
    ['the survivor’s fencer is not woken when its delay is over', '    nextFencingAt(alone),\n', ''],
    ['nobody looks again after a watchdog', '    ...nextWatchdogLooks(watchdogs),\n', ''],
    [
      'the word of a survivor ends no fencing of the DC',
      "return after(step(state, { by: 'dc', input: confirmed }, now), (next) =>",
      'return after(only(state), (next) =>',
    ],
  ],
  'src/node/fencing-demands.ts': [
    [
      'the DC tells devices while the survivor’s is at work',
      '!isAtWork(state.fencing[otherOf(by)], demand.target)',
      'true',
    ],
    ['who waits in line waits for ever', 'now >= giveUpAt || !isAtWork', '!isAtWork'],
    [
      'who waits in line cannot be taken back',
      'if (waiting === undefined) {',
      'if (waiting !== undefined) return only(state)\n  if (waiting === undefined) {',
    ],
    [
      'a node that is wanted off is switched on again',
      "action === 'reboot' && fencing.wantedOff.has(target) ? 'off' : action",
      'action',
    ],
    ['a silent node is asked to run devices', 'node !== self && !silent.includes(node)', 'node !== self'],
    [
      'what was left off is taken up under any term',
      'if (!isQuorate(state, now) || state.view.dc?.term !== term) return only(state)',
      'if (!isQuorate(state, now)) return only(state)',
    ],
    [
      'what was left off is taken up without quorum',
      'if (!isQuorate(state, now) || state.view.dc?.term !== term) return only(state)',
      'if (state.view.dc?.term !== term) return only(state)',
    ],
    ['what was left off is taken up however late', 'if (now >= giveUpAt) return only({ ...state, fencing })\n', ''],
    ['a survivor takes up what was to be off', 'records.filter(isHalfDone).reduce', 'records.reduce'],
    ['the survivor fences a peer that is heard', 'if (peer.withdrawn) {', 'if (peer.withdrawn && random > 1) {'],
  ],
  'src/node/fencing-devices.ts': [
    [
      'the survivor of two counts on a watchdog',
      "step(next, { by: 'alone', input: { kind: 'configured', setup } }, now)",
      "step(next, { by: 'alone', input: { kind: 'configured', setup: knownSetup(next) } }, now)",
    ],
    ['nobody counts on a watchdog', 'waits.size > 0 ? [watchdogDevice(waits)] : []', '[]'],
    [
      'a changed configuration changes no device',
      'if (configuration !== configuredFrom) {',
      'if (configuredFrom === undefined) {',
    ],
    [
      'a watchdog that is new is not counted on before the configuration changes',
      'return isSame ? only(next) : giveDevices(next, now)',
      'return only(isSame ? next : next)',
    ],
  ],
  'src/node/fencing-steps.ts': [
    [
      'a DC whose term is over tells devices',
      "if (by === 'dc' && isTermOver(state.view.dc, effect)) {",
      "if (by === 'dc' && isTermOver(undefined, effect)) {",
    ],
    ['a reset by a watchdog counts although the node is back', 'ifAway: !rebooted.has(id)', 'ifAway: false'],
    ['another boot proves nothing', 'ifAway: !rebooted.has(id)', 'ifAway: true'],
    [
      'a reset that does not count is not in the history',
      "return only(refused, tell({ kind: 'record', by, ifAway: false, progress: failure, term }))",
      "return step(next, by, { kind: 'recorded', id, outcome, written }, now)",
    ],
    [
      'a node that an administrator could not switch off is never switched on',
      'const isNot = asked.byAdministrator && !succeeded && result.isOff !== true',
      'const isNot = false',
    ],
    [
      'a node that is off without a record is switched on again',
      '&& !succeeded && result.isOff !== true',
      '&& !succeeded',
    ],
  ],
  'src/node/watchdog-fencing.ts': [
    [
      'a node that is here is not asked to end itself',
      "if (sinceIncarnation(state.view, target, life) !== 'here') return",
      'if (now >= 0) return',
    ],
    [
      'the watchdog of a DC without quorum counts',
      'isQuorate(state, now) && view.dc?.term === one.term',
      'view.dc?.term === one.term',
    ],
    [
      'the watchdog of a former term counts',
      'isQuorate(state, now) && view.dc?.term === one.term',
      'isQuorate(state, now)',
    ],
    ['another boot is not noted', "if (since === 'rebooted') rebooted.push(one.id)\n", ''],
    ['the lease is not waited for', 'watchdogWait(timings, resetMs)', 'resetMs'],
  ],
  'src/node/left-off.ts': [
    ['a node that is here is switched on', 'view.members.has(target) || isUnclean(state)', 'isUnclean(state)'],
    ['a node that is to be fenced is switched on first', ' || isUnclean(state)) return []', ') return []'],
    ['what was switched off for good is switched on', "action === 'reboot' && (outcome", '(outcome'],
  ],
  'src/node/loop.ts': [
    ['the controller’s fencing is not begun', "if (asked.kind === 'fence')", 'if (asked.kind === undefined)'],
    [
      'the controller cannot take a fencing back',
      "else if (asked.kind === 'withdraw-fencing')",
      'else if (asked.kind === undefined)',
    ],
    [
      'what falls due while effects are performed is lost',
      'nextNodeAt(this.#state, this.#tickedAt)',
      'nextNodeAt(this.#state, this.#driver.now())',
    ],
    [
      'a node that has ended performs what is left',
      'if (this.#ended) return\n      if (!mayPerform',
      'if (!mayPerform',
    ],
    [
      'a node that is about to end forgets its lease',
      "if (input.kind === 'quorum') this.#state",
      'if (false) this.#state',
    ],
  ],
  'src/node/timings.ts': [
    ['the grace of a restart is not obeyed', 'registrationMs: restartGraceMs', 'registrationMs: 5000'],
    ['a lost node is waited for as in any other cluster', 'lossWaitMs: lossWait(timings), ', ''],
  ],
  'src/node/commands.ts': [
    [
      'a former DC lets a node go',
      "return isOver\n      ? { kind: 'nobody', answer: oldTerm(highestTerm) }\n      : { kind: 'presence'",
      "return false\n      ? { kind: 'nobody', answer: oldTerm(highestTerm) }\n      : { kind: 'presence'",
    ],
    ['a former DC commands a remote node', "return isOver ? { kind: 'nobody'", "return false ? { kind: 'nobody'"],
    [
      'a node that is still starting takes commands',
      "if (highestTerm === undefined) return { kind: 'nobody', answer: stillStarting }",
      "if (highestTerm === undefined) return { kind: 'executor' }",
    ],
    ['a refused command counts as taken', 'if (answer.accepted) return', 'if (true) return'],
    [
      'a command that is done is waited for',
      "answer.done ? { kind: 'acknowledged', transitionKey } : undefined",
      'undefined',
    ],
  ],
  'src/node/own-member.ts': [
    ['a leaving node counts itself as down', '&& !isOnItsWayOut', ''],
    [
      'an earlier life’s fencing counts for this one',
      'const named = state?.attributes?.incarnation === String(incarnation)',
      'const named = state !== undefined',
    ],
    ['the others never learn of a watchdog', 'record !== undefined && !saysTheSame(record, now)', 'false'],
  ],
  'src/node/options.ts': [
    [
      'a node without fencing escalates',
      "if (parseBoolean(clusterOptionValue(configuration, 'fencing-enabled')) === false) return undefined",
      '',
    ],
    ['a node panics that was not fenced', 'own?.attributes?.node_fenced !== undefined && ', ''],
  ],
  'src/controller/controller.ts': [
    [
      'the DC acts without quorum',
      'if (now >= state.quorateUntil || state.lease === undefined) return endTerm(state)',
      '',
    ],
    [
      'a node is the DC by the key of an earlier incarnation',
      'if (dc.lease !== state.lease) return andThen(endTerm(state), (next) => revoke(next, dc, now))',
      '',
    ],
    [
      'a DC that stands still over a lost answer stays so',
      'state.dcState !== undefined && isStuck(state.dcState, now)',
      'false',
    ],
    [
      'a node is the DC again under a term that has ended',
      'if (dc.term === current.endedTerm) return resign(current, dc.term, now)',
      '',
    ],
    [
      'a leaving node becomes DC',
      "if (state.leaving && others.some((member) => member.state !== 'leaving')) return turn(state)",
      '',
    ],
    [
      'nobody ends the lease of a silent DC',
      'return state.agreed.has(dc.node) ? revoke(state, dc, now) : turn(state)',
      'return turn(state)',
    ],
    [
      'a DC is revoked that only this node misses',
      'return state.agreed.has(dc.node) ?',
      'return state.silent.has(dc.node) ?',
    ],
    [
      'a transition is computed from a view that lacks the DC’s own writes',
      'if (isWaitingForWrites(state) || dcState.waitingFor.length > 0',
      'if (dcState.waitingFor.length > 0',
    ],
    [
      'a transition is computed while a node is waited for',
      'if (isWaitingForWrites(state) || dcState.waitingFor.length > 0',
      'if (isWaitingForWrites(state)',
    ],
    [
      'two computations at a time',
      'dcState === undefined || dcState.computing !== undefined || !mayOverlapWalks',
      'dcState === undefined || !mayOverlapWalks',
    ],
    [
      'a node that the DC alone misses is never given up',
      'if (now - since >= state.timings.linkPatienceMs) lost.set',
      'if (false) lost.set',
    ],
    [
      'no member campaigns before it is registered under its lease',
      'if (own === undefined || own.lease !== state.lease || state.lease === undefined) return turn(state)',
      'if (state.lease === undefined) return turn(state)',
    ],
  ],
  'src/controller/handle-input.ts': [
    [
      'an election that was not performed is waited for',
      'const campaigning = state.campaigning && now < input.until',
      'const { campaigning } = state',
    ],
    ['a refused write ends no dcState', "if (input.outcome === 'refused') return turn(withoutDcState(state))", ''],
    [
      'the DC does not wait for what it has written',
      'mustSee: Math.max(dcState.mustSee, input.revision)',
      'mustSee: dcState.mustSee',
    ],
    ['a graph that is outdated is walked', 'if (dcState.lookAgain !== undefined) return turn(done)', ''],
    [
      'a command that a node refused is waited for',
      "return lookAgain(endAction(next, of, 'failed'), `a node refused",
      'return lookAgain(next, `a node refused',
    ],
    [
      'a fencing that failed is not tried again',
      'const attempts: FencingAttempts = { failures, retryAt: now + retryMs',
      'const attempts: FencingAttempts = { failures, retryAt: Number.POSITIVE_INFINITY',
    ],
    [
      'a fencing for another life of the node counts',
      'if (incarnation === undefined || incarnation !== knownIncarnation(state.view, input.target)) return turn(looked)',
      '',
    ],
    [
      'what succeeds is not recorded before its followers go out',
      "if (purpose.kind === 'ends-action') return turn(endAction(next, purpose, 'succeeded'))",
      "if (purpose.kind === 'ends-action') return turn(next)",
    ],
    [
      'a changed configuration does not try a failed fencing again',
      'const before = known ? learnt : withoutFencingPause(learnt, now)',
      'const before = learnt',
    ],
    ['failures are not counted', 'if (isNew && !isCounted(failure, changes)) failures.push(failure)', ''],
  ],
  'src/controller/node-states.ts': [
    [
      'a lost node is not unclean',
      "const unclean = { ...state, inCcm: false, crmd: 'offline', join: 'down', reason, term: input.term } as const",
      'const unclean = { ...state, reason, term: input.term } as const',
    ],
    [
      'a node that was declared down comes back with the same life',
      "if (state?.expected === 'down' && sameIncarnation) {",
      'if (false) {',
    ],
    ['a node is integrated while it is being fenced', 'if (input.beingFenced.has(node)) return {}', ''],
    [
      'the history of an earlier life is kept',
      "return { edits: [put, { kind: 'delete-history', node }, forget], gone: true }",
      'return { edits: [put, forget], gone: true }',
    ],
    [
      'without fencing nobody waits for a lost node to stop',
      'if (input.now < waitUntil) return { waitUntil, waitingFor }\n  const reason',
      'const reason',
    ],
    ['a restarted daemon is lost before it can register', 'if (registers) return registers', ''],
    [
      'a starting cluster fences who is not there yet',
      'const starting = input.startupUntil !== undefined && input.now < input.startupUntil',
      'const starting = false',
    ],
    [
      'the wish of an earlier life to leave sends the next one away',
      "return { edits: [{ kind: 'put-node-state', record: unclean }, forget], gone: true, revoke }",
      "return { edits: [{ kind: 'put-node-state', record: unclean }], gone: true, revoke }",
    ],
    ['an administrator’s word counts for a node that is here', 'if (here) return { edits: [forget] }', ''],
    ['a node whose silence counts keeps its lease', 'const revoke = record !== undefined', 'const revoke = false'],
  ],
  'src/controller/walk.ts': [
    [
      'an action does not wait for its inputs',
      'if (inputs.length === 0) ready.push(action.id)',
      'if (inputs.length <= 1) ready.push(action.id)',
    ],
    [
      'an aborted transition goes on',
      'return walk.aborted === undefined || action.priority >= INFINITY_SCORE',
      'return true',
    ],
    [
      'a failed action counts as done',
      "if (outcome === 'failed') return { ...ended, failed: new Set(walk.failed).add(id) }",
      '',
    ],
    ['batch-limit is not kept', 'if (limits.batch > 0 && this.#all >= limits.batch)', 'if (false)'],
    ['node-action-limit is not kept', 'if ((this.#onNode.get(node) ?? 0) >= places)', 'if (false)'],
    ['migration-limit is not kept', '(this.#migrations.get(node) ?? 0) >= limits.migrations', 'false'],
    ['fencing waits for other actions', 'if (isFencing(action) || isGuestFencing(action)) return undefined\n', ''],
  ],
  'src/controller/send.ts': [
    [
      'a node is told that it may go before that is recorded',
      "return write(state, edits, { kind: 'begins-action', ...of })",
      'return execute(state, walkOf(state, of.transition) as Walk, action)',
    ],
    [
      'a command carries no revision of the plan',
      'plannedFrom: walk.plannedFrom,',
      'plannedFrom: Number.MAX_SAFE_INTEGER,',
    ],
    ['a command is sent once only', '...(isFencing(action) ? {} : { resendAt: now + remindMs }),', ''],
    ['a fencing is meant for no life of the node', '...incarnation,\n    timeoutMs:', 'timeoutMs:'],
  ],
  'src/controller/heard-again.ts': [
    [
      'who is heard again is fenced',
      'return id === undefined || withdrawn === true || !isHere || !wasLost ? [] : [{ node, id }]',
      'return []',
    ],
  ],
  'src/node/own-votes.ts': [
    ['votes change on nodes that are not the DC', '&& state.view.dc?.node === state.self', ''],
    ['votes change without quorum', '&& isQuorate(state, now)', ''],
    [
      'a vote is taken from the list first',
      "step.kind === 'take' ? { kind: 'ask-joining' } :",
      "step.kind === 'take' ? { kind: 'change-list', host: step.node, votes: false } :",
    ],
    ['a vote is taken while another copies the store', ' || isAwaited(input.hosts, host)', ''],
    [
      'two votes change at once',
      'votes.doing !== undefined || !changesVotes(state, now)) return turn',
      '!changesVotes(state, now)) return turn',
    ],
    ['a change is repeated before the list shows it', 'if (rests(state, now)) return turn(state)', ''],
    ['nobody waits for the witness to be of use', "return votes.witness ?? 'silent'", "return 'up'"],
    [
      'strangers are looked for once only',
      'return nodesVersion !== versionOf(state) || now >= until',
      'return nodesVersion !== versionOf(state)',
    ],
    ['one that is silent loses its vote', 'return fenced && !view.members.has(node)', 'return !view.members.has(node)'],
  ],
  'src/quorum/vote-step.ts': [
    [
      'a leaving node gives up a vote that the others need',
      'host.leaving !== true || keepsVote(list, host, stateOf)',
      'host.leaving !== true',
    ],
    ['who copies the store is not waited for', 'joining.some((name) => name !== host)', 'false'],
  ],
  'src/quorum/witness-health.ts': [
    ['a witness that answers and does not count keeps its vote', "if (isUseless(health, now)) return 'fenced'", ''],
    [
      'a witness of no use is asked for its vote at once',
      "health.restsUntil !== undefined && now < health.restsUntil ? 'silent' : 'up'",
      "'up'",
    ],
  ],
  'src/quorum/meeting.ts': [
    ['a node whose addition was interrupted is waited for', "stored === 'absent' || ", ''],
    [
      'a store that does not answer says that the other never joined',
      "(stored !== 'unknown' && neverJoined(stored))",
      "stored === 'unknown' || neverJoined(stored)",
    ],
    ['two nodes that both vote meet first', 'return !other.votes || wasGoingAlone ?', 'return self ?'],
    ['who was going alone does not meet the other', '!other.votes || wasGoingAlone', '!other.votes'],
    [
      'a node that had quorum in this boot meets the other',
      'if (met) return undefined\n  return !other.votes',
      'return !other.votes',
    ],
    ['nobody of three asks the others', "return met ? undefined : { kind: 'others' }", 'return undefined'],
    [
      'three ask the others after each start',
      "return met ? undefined : { kind: 'others' }",
      "return { kind: 'others' }",
    ],
    ['of three, what was begun is not ended', "if (wasGoingAlone) return { kind: 'end-going-alone' }", ''],
    ['who acts without this node is not given way to', 'if (quorate || theirs > ours)', 'if (theirs > ours)'],
    ['a newer list is not given way to', 'if (quorate || theirs > ours)', 'if (quorate)'],
    ['an older list is waited for', "return theirs < ours ? 'go-on' : 'wait'", "return 'wait'"],
    ['who was here counts as never here', ' && state.attributes?.incarnation === undefined', ''],
  ],
  'src/node/start-up.ts': [
    ['the other is asked once only', 'now < startUp.at ? turn(state) : askPeer(state, startUp.peer)', 'turn(state)'],
    ['the others are waited for without end', 'if (now < startUp.until) return turn(state)', 'return turn(state)'],
    [
      'the confirmation that the other is off is not written',
      'if (other === undefined || other.votes) return takePart',
      'return takePart',
    ],
    ['an old copy is enough after each loss', '!listed && ownCopyWillDo(state, now)', 'ownCopyWillDo(state, now)'],
    ['no old copy is enough', '!listed && ownCopyWillDo(state, now)', 'false'],
    ['an old copy is enough after a boot', 'if (!state.met || isQuorate', 'if (isQuorate'],
    [
      'an old copy is enough with quorum',
      'if (!state.met || isQuorate(state, now)) return false',
      'if (!state.met) return false',
    ],
    ['an old copy is never enough for one of three', '|| patienceMs(state, now) <= 0', ''],
    ['a copy that fell behind stays', "if (phase.kind !== 'follows') return turn(state)", 'return turn(state)'],
    [
      'a listing that failed is the last',
      "if (phase.kind !== 'lists-again' || now < phase.at) return turn(state)",
      "if (phase.kind !== 'lists-again' || listed) return turn(state)",
    ],
    ['the copy is followed from the beginning', 'after: input.revision', 'after: 0'],
    [
      'what is gone stays in the copy',
      '...[...known.keys()].filter((key) => !kept.has(key)).map((key) => ({ key })),',
      '',
    ],
    [
      'a store that did not answer counts as prepared',
      "case 'not-prepared':\n      if (startUp.kind !== 'prepares') return turn(state)",
      "case 'not-prepared':\n      if (startUp.kind !== 'prepares') return turn(state)\n      if (state.startedAt <= now) return asked(at(state, { kind: 'starts-parts' }), { kind: 'start-parts' })",
    ],
    ['the request to leave of an earlier life stays', '...(view.attributes.has(shutdown) ? [shutdown] : []),', ''],
    ['the fencing of an earlier life stays', '...(view.selfFencing.has(self) ? [keys.selfFencing(self)] : []),', ''],
    ['fencing through disks of this boot is deleted', ' || slotsOfBoot === undefined)', ' || true)'],
    [
      'fencing through disks of another boot stays',
      '(!meansBoot(throughDisks.bootId, bootId) || slotsOfBoot === undefined)',
      'slotsOfBoot === undefined',
    ],
  ],
  'src/node/earlier-confirmation.ts': [
    ['quorum from this node’s own store keeps it waiting', 'lease !== undefined && registered', 'false && registered'],
    ['whoever has come back through this store is declared off', 'isBack(node) ? undefined : ', ''],
    ['another’s quorum is no reason to wait', '? !isRegistered(answer, registered) :', '? false :'],
    ['another’s newer list is no reason to wait', ': answer.nodesVersion > nodesVersion', ': false'],
    ['a word is ended although others have acted', 'return alone && !othersActed', 'return alone'],
  ],
  'src/controller/execute-graphs.ts': [
    [
      'several nodes are fenced at once, whatever is left',
      'const first = ready.find(isLoss)',
      'const first = undefined as GraphAction | undefined',
    ],
  ],
  'src/controller/needed-voters.ts': [
    ['a node that is being fenced counts for the majority', ' && !isBeingFenced(state, voter)', ''],
    ['a witness that does not answer counts for the majority', ' voter !== uselessWitness &&', ''],
    [
      'a node without which there is no majority is fenced at once',
      'return since !== undefined && now - since < neededVoterPatienceMs',
      'return false',
    ],
    [
      'such a node is waited for without end',
      'return since !== undefined && now - since < neededVoterPatienceMs',
      'return since !== undefined',
    ],
  ],
  'src/controller/owed-answers.ts': [
    ['all who owe a result are fenced at once', 'if (another !== undefined) return', 'if (another === node) return'],
    [
      'the majority is fenced for missing results',
      "return restHasQuorum(state, node) ? undefined : 'the rest would have no quorum'",
      'return undefined',
    ],
    [
      'a node is fenced for what the DC owes itself',
      "if (dcState.owing.has(self) || owesItselfStill(state, owed)) return 'the DC has not reported it either'",
      '',
    ],
  ],
  'src/controller/overlap.ts': [
    ['a transition is computed beside what has just begun', 'now - sentAt >= state.timings.overlapAfterMs', 'true'],
  ],
  'src/controller/lost-arrivals.ts': [
    [
      'what was sent away is forgotten with the history of the sender',
      'return [...edits, ...arrivals]',
      'return edits',
    ],
  ],
  'src/controller/local-stop.ts': [
    [
      'own stops keep no order',
      'const free = left.filter(({ id }) => (inputs.get(id) ?? []).every((input) => staged.has(input)))',
      'const free = left',
    ],
    [
      'a node without quorum starts what its plan starts',
      "return action.operation === 'stop' || action.operation === 'demote'",
      'return true',
    ],
    [
      'a node stops what is on others',
      "if (action.kind !== 'resource' || action.node !== self) return false",
      "if (action.kind !== 'resource') return false",
    ],
    ['an order through another node’s action is lost', 'else open.push(...(byId.get(id)?.inputs ?? []))', ''],
  ],
  'src/controller/own-view.ts': [
    [
      'a node that decides for itself believes the store about what it runs',
      'const own = operations.map((record)',
      'const own = [].map((record: never)',
    ],
  ],
  'src/membership/heartbeat.ts': [
    ['a paused node does not doubt its lease', "effects: [{ kind: 'doubt-own-lease', pausedMs }] }", 'effects: [] }'],
    ['after a pause everybody else is silent', '{ ...peer, lastHeard: now, saysSilent: [] }', 'peer'],
    [
      'half of the votes confirm a silence',
      'const needed = Math.floor(voters.size / 2) + 1',
      'const needed = Math.ceil(voters.size / 2)',
    ],
    [
      'a node that is not heard votes',
      "else if (peer && stateOf(state, peer, now) === 'heard' && peer.saysSilent.includes(suspect)) votes++",
      'else if (peer?.saysSilent.includes(suspect)) votes++',
    ],
    [
      'a daemon that died gets no time to come back',
      'return peer.hostAnswers || peer.isAwaited ? Math.max(tokenMs, restartGraceMs) : tokenMs',
      'return peer.isAwaited ? Math.max(tokenMs, restartGraceMs) : tokenMs',
    ],
    [
      'who has just become a member gets the token to be heard',
      'return peer.hostAnswers || peer.isAwaited ? Math.max(tokenMs, restartGraceMs) : tokenMs',
      'return peer.hostAnswers ? Math.max(tokenMs, restartGraceMs) : tokenMs',
    ],
    [
      'a pulse of an earlier life counts',
      'if (isThere && pulse.incarnation < (peer.incarnation ?? 0)) return state',
      '',
    ],
    [
      'who has just become a member is silent at once',
      'return isBack ? { ...known, lastHeard: now, hostAnswers: false, isAwaited } : known',
      'return known',
    ],
    [
      'the others learn late of a silence',
      'if (!changed && !isPulseDue(state, input, now))',
      'if (!isPulseDue(state, input, now))',
    ],
  ],
  'src/membership/presence.ts': [
    [
      'a node without quorum waits for leave for ever',
      'if (now - state.leaveAloneAt < leaveAlonePatienceMs) return { state, effects }\n',
      'return { state, effects }\n',
    ],
    [
      'a node that counts as down waits for leave',
      'if (state.own?.declaredDown) return stopLocally(state, effects)',
      '',
    ],
    [
      'shutdown-escalation is not obeyed',
      'if (state.escalateAt !== undefined && now >= state.escalateAt) return escalate(state, effects)',
      '',
    ],
    ['a node leaves that the DC does not know yet', 'if (!leaving && !acknowledged)', 'if (false)'],
    [
      'a wish to leave is not repeated after a loss of quorum',
      'return input.lease === undefined ? { ...rest, shutdownRequested: false }',
      'return input.lease === undefined ? { ...rest }',
    ],
    [
      'do_shutdown sends a node away that does not leave',
      "return state.phase === 'leaving' ? { ...state, phase: 'left' } : state",
      "return { ...state, phase: 'left' }",
    ],
    [
      'what has no effect is not written again',
      'attempt === state.attempt && now < state.retryAt',
      'attempt === state.attempt',
    ],
  ],
  'src/quorum/quorum.ts': [
    [
      'a lease counts to its very end',
      'answer.askedAt + answer.ttlMs - leaseMarginMs',
      'answer.askedAt + answer.ttlMs',
    ],
    [
      'a lease counts from the answer',
      'answer.askedAt + answer.ttlMs - leaseMarginMs',
      'now + answer.ttlMs - leaseMarginMs',
    ],
    [
      'an answer from before a pause counts',
      'if (answer.askedAt < state.doubtedAt) return { ...next, askAt: now }',
      '',
    ],
    [
      'an answer about another lease counts',
      'if (input.lease !== state.lease) return { ...state, asking: false }\n      return confirm',
      'return confirm',
    ],
  ],
  'src/quorum/two-node.ts': [
    [
      'a machine that has just booted fences the other',
      "if (heartbeat !== 'silent' || !met || !fencingEnabled)",
      "if (heartbeat !== 'silent' || !fencingEnabled)",
    ],
    [
      'the other is fenced while its daemon restarts',
      "if (heartbeat !== 'silent' || !met || !fencingEnabled)",
      'if (!met || !fencingEnabled)',
    ],
    [
      'a fencing that failed counts',
      'if (input.succeeded) return afterFencing(state, phase.incarnation, now)\n      return',
      'if (true) return afterFencing(state, phase.incarnation, now)\n      return',
    ],
    [
      'who is heard again is fenced by the survivor',
      "if (situation.heartbeat !== 'heard' || phase.withdrawn) return { state, effects: [] }",
      'return { state, effects: [] }',
    ],
    [
      'a word counts although others may have a majority meanwhile',
      "return phase.kind === 'going-alone' ? { ...rest, phase: { ...phase, lapsed: true } } : idle(rest)",
      'return rest',
    ],
    [
      'what one of two runs is stopped when the other is silent',
      'return situation?.met === true && situation.fencingEnabled',
      'return false',
    ],
  ],
  'src/quorum/watchdog.ts': [
    [
      'the watchdog is fed without quorum',
      "if (lease === undefined || now >= until) return 'this node has lost quorum'",
      '',
    ],
    [
      'the watchdog is fed under another lease',
      "return permit.lease === lease ? undefined : 'this node is not registered'",
      'return undefined',
    ],
    [
      'the watchdog is fed for a main thread that hangs',
      "if (now - permit.at > permitLastsMs(timeoutMs)) return 'the main thread hangs, or this node must stop'",
      '',
    ],
  ],
  'src/quorum/loss.ts': [
    [
      'nobody waits for the margin of a lost node’s clock',
      'return timings.leaseTtlMs + timings.leaseMarginMs + timings.stopTimeMs',
      'return timings.leaseTtlMs',
    ],
    [
      'a watchdog is not given its time',
      'return timings.leaseTtlMs + timings.leaseMarginMs + selfResetMs',
      'return timings.leaseMarginMs',
    ],
  ],
  'src/fencing/fencing.ts': [
    [
      'a device is told before the fencing is recorded',
      "phase: { kind: 'recording' }, trail: [] }\n  return",
      "phase: { kind: 'queued' }, trail: [] }\n  return",
    ],
    ['a former DC’s demand is obeyed', 'if (demand.term < state.term) {', 'if (false) {'],
    [
      'a result that could not be recorded counts',
      "return announce(state, request, { outcome: 'failed', message, powerOn, ...(isOff ? { isOff } : {}) })",
      'return announce(state, request, { outcome: reached, message, powerOn, ...(isOff ? { isOff } : {}) })',
    ],
    [
      'a device is told several things about a node at once',
      'return target === request.target || !state.setup.concurrent',
      'return !state.setup.concurrent',
    ],
    [
      'concurrent-fencing=false is not obeyed',
      'return target === request.target || !state.setup.concurrent',
      'return target === request.target',
    ],
    [
      'off by an administrator is asked for twice',
      "const isEnough = action === demand.action || (action === 'off' && demand.action === 'reboot')",
      'const isEnough = action === demand.action',
    ],
    [
      'what a device was told is taken back',
      'if (request.device !== undefined) return { state: replace(state, { ...request, withdrawn: true }), effects: [] }',
      '',
    ],
    [
      'a node that was switched off for a reboot stays off',
      'if (isFencedAgain || (phase.pausedUntil !== undefined && now < phase.pausedUntil)) return { state, effects: [] }',
      'return { state, effects: [] }',
    ],
  ],
  'src/fencing/watchdog.ts': [
    [
      'a watchdog counts that takes longer than the cluster waits',
      'return waited > deviceTimeoutMs ? waited : undefined',
      'return waited',
    ],
  ],
  'src/fencing/self-fencing.ts': [
    [
      'a node that came back counts as reset',
      "if (target === 'here' || changes !== gone.changes) return { kind: 'unproven', why: cameBack }",
      '',
    ],
    ['a former DC proves a reset', "if (!rules) return { kind: 'unproven', why: 'the term is over' }", ''],
    [
      'nobody waits for the watchdog',
      "return now < gone.resetAt ? { kind: 'waiting', wait } : { kind: 'reset' }",
      "return { kind: 'reset' }",
    ],
  ],
  'src/executor/queue.ts': [
    [
      'a former DC’s operation is begun',
      'if (operation.term !== undefined && operation.term < state.term)',
      'if (false)',
    ],
    ['something starts without quorum', 'if (!state.quorate && needsQuorum(operation))', 'if (false)'],
    [
      'a plan is obeyed that does not know of own stops',
      'if (needsQuorum(operation) && !knowsOwnDecisions(state, operation))',
      'if (false)',
    ],
    [
      'the same action is done twice',
      'if (knowsKey(line, keyText(operation))) return { state: raised, effects: [] }',
      '',
    ],
    [
      'a node does not remember the highest term',
      'return term === undefined || term <= state.term ? state : { ...state, term }',
      'return state',
    ],
    [
      'a former DC cancels monitors',
      'const { term, resource, operation, intervalMs } = input\n  if (term < state.term)',
      'const { term, resource, operation, intervalMs } = input\n  if (false)',
    ],
  ],
  'src/executor/line.ts': [
    [
      'something begins beside what a former daemon left running',
      'if (line.leftAgent || line.current !== undefined) return undefined',
      'if (line.current !== undefined) return undefined',
    ],
    [
      'two operations of a resource at once',
      'if (line.leftAgent || line.current !== undefined) return undefined',
      'if (line.leftAgent) return undefined',
    ],
    [
      'monitors go on after a stop',
      'const flushed = changesResource(waiting.operation) ? withoutRecurring(line) : line',
      'const flushed = line',
    ],
  ],
  'src/executor/local-stop.ts': [
    [
      'a later stage stops before an earlier one is down',
      'if (stop.running.size > 0) return { state: { ...state, localStop: stop }, effects: [] }',
      '',
    ],
    [
      'a start runs to its end before the resource is stopped',
      "effects.push({ kind: 'kill', callId: current.callId, resource })",
      '',
    ],
    ['own stops are forgotten as soon as they are recorded', 'shownAt: Math.max(shownAt, revision)', 'shownAt'],
  ],
  'src/executor/withdraw.ts': [
    [
      'what waits to start begins without quorum',
      'const waiting = line.waiting.filter(({ operation }) => !needsQuorum(operation))',
      'const { waiting } = line',
    ],
  ],
  'src/executor/own-history.ts': [
    [
      'what the DC has deleted counts as stopped',
      'else if (!this.#mayRun(resource)) this.#records.delete(resource)',
      'else this.#records.delete(resource)',
    ],
    [
      'what an earlier daemon started is not known',
      'return [...recorded, ...started.filter((resource) => !this.#records.has(resource))]',
      'return recorded',
    ],
  ],
  'src/executor/command-input.ts': [
    [
      'delete asks the agent for a delete',
      "if (action.operation === 'lrm_delete' || action.operation === 'delete')",
      "if (action.operation === 'lrm_delete')",
    ],
  ],
}
