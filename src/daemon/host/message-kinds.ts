/**
 * The kinds of messages that programs may look for: each has an id that never changes, for `journalctl MESSAGE_ID=…` and the explanation by `journalctl -x`
 * (systemd.journal-fields(7)), and a short name, which is MSGID in syslog. docs/guides/logs.md lists them.
 */

export interface MessageKind {
  /** 128 bits of chance. */
  readonly id: string
  readonly name: string
  /** The message of the log. */
  readonly message: string
  readonly subject: string
  /** With fields of the journal between @. */
  readonly explanation: string
}

const kinds: readonly (readonly [name: string, id: string, message: string, subject: string, explanation: string])[] = [
  [
    'daemon-started',
    '6316cc41358b4fb680d863db78df54a7',
    'daemon started',
    'The daemon has started',
    'The daemon of the node @SYSTOLE_NODE@ runs. It takes part in the cluster once the cluster is started on this node: systole cluster status.',
  ],
  [
    'remote-daemon-started',
    '3960fb55c11e4304870b13ef3d16c40e',
    'remote daemon started',
    'The daemon of a remote node has started',
    'The daemon waits for the cluster node that holds its connection.',
  ],
  [
    'cannot-start',
    '50b75ae6dead4a448fbdab362b7071b2',
    'the daemon cannot start',
    'The daemon cannot start',
    'The message says why. systemd tries again; until then this node takes no part in the cluster, and resources that still run are not monitored.',
  ],
  [
    'ends-by-bug',
    '10a8de1dec4544c89951b6c0e2ec78f8',
    'the daemon ends because of a bug',
    'The daemon has ended because of a bug',
    'systemd starts the daemon again, and resources go on running. Please report the message with the lines before it.',
  ],
  [
    'ends-without-room',
    '20f09d0a1f174af680af29bccc575bb5',
    'the daemon ends without room for another file or process',
    'The daemon has ended, because the node has no room for another file or process',
    'systemd starts the daemon again, and resources go on running. Look for who uses the files or the memory: ls /proc/PID/fd, free, and the limits of the unit.',
  ],
  [
    'ending',
    '0157f9cf262949559806fa6e4fed555b',
    'ending; resources stay as they are',
    'The daemon ends',
    'Resources that run on this node go on without it. To stop them as well, run: systole cluster stop.',
  ],
  [
    'has-quorum',
    'a2303982dc0f49dfae8a734545022a6d',
    'this node has quorum',
    'This node has quorum',
    'The node @SYSTOLE_NODE@ belongs to the majority and may run resources.',
  ],
  [
    'lost-quorum',
    '2125cd58ed014a4685a4ee765302d096',
    'this node has lost quorum',
    'This node has lost quorum',
    'The node @SYSTOLE_NODE@ no longer reaches a majority of the voters. The property no-quorum-policy says what it does with its resources. Look at: systole quorum status.',
  ],
  [
    'is-dc',
    'bdbb3e16d7ea4aeab3b62fa5fdecbc7e',
    'this node is the DC',
    'This node is the DC',
    'The node @SYSTOLE_NODE@ decides for the cluster from now on.',
  ],
  [
    'operation-failed',
    '88f9f8a93c3542d5a6b976276356d1f6',
    'an operation did not end as expected',
    'An operation of a resource has failed',
    'The resource is @SYSTOLE_RESOURCE@. The cluster recovers it as its configuration says. Look at: systole why, and systole resource failcount. When the cause is gone, run: systole resource cleanup.',
  ],
  [
    'fencing-demanded',
    'c0402214586d492eaf369834ef377474',
    'a node is to be fenced',
    'A node is to be fenced',
    'The node is @SYSTOLE_TARGET@, because: @SYSTOLE_REASON@. Its resources start elsewhere once the fencing has succeeded.',
  ],
  [
    'fencing-ended',
    'b09e67f6d5a54351907a38ffcf95957d',
    'fencing has ended',
    'Fencing has ended',
    'The node is @SYSTOLE_TARGET@, the outcome: @SYSTOLE_OUTCOME@. A fencing that failed is tried again, and resources of the node wait for it. Look at: systole stonith history. If it is certain that the node is off, run: systole stonith confirm.',
  ],
  [
    'fence-device-failed',
    '8df6e57d8e89406096b26fb6186dad31',
    'a fence device failed',
    'A fence device has failed',
    'The device is @SYSTOLE_DEVICE@. Check it from this node with: systole stonith test.',
  ],
  [
    'declared-down',
    '5baa37ea4e804a8b985cea46d3a683a3',
    'the cluster considers this node down although it is alive: its resources are stopped',
    'The cluster considers this node down',
    'The other nodes have not heard this node for longer than the token. It stops its resources, because they may be started elsewhere. Look at the network: systole status --full.',
  ],
  [
    'own-stops',
    '81b6730fc4594962a66292b6e11eac9f',
    'this node stops resources without the DC',
    'This node stops resources by itself',
    'It has no quorum, or nobody leads the cluster. It starts nothing again before that has changed.',
  ],
  [
    'goes-alone',
    'bab350daa576408c9bb8a5b129b7432b',
    'this node goes on alone',
    'This node goes on alone',
    'Of two nodes the other one is off, by fencing or by the word of an administrator.',
  ],
  [
    'watchdog-failed',
    '97122b33fbf74f20a76eab5800fad0fe',
    'the watchdog does not work',
    'The watchdog does not work',
    'Without it this node cannot be reset when it hangs. Look at: systole stonith sbd status.',
  ],
  [
    'watchdog-starved',
    '2190ffb860104e559b0bbd15295e6e4c',
    'the watchdog is no longer fed and will reset this machine',
    'The watchdog resets this machine',
    'The node ends itself because the cluster has decided so or because it cannot do its work.',
  ],
  [
    'store-silent',
    'f3c5128f82c54e45b9e6e36ccdcba589',
    'the store does not answer',
    'The store does not answer',
    'Nothing can be decided or recorded on this node until it does. Look at: systole quorum status, and at the disk of this node.',
  ],
  [
    'suspended',
    'ea0e8825cd3f4756a640f2e959d2b7f5',
    'this node was suspended, or its clock was set forward',
    'This node was suspended',
    'Its processes did not run for a while. Other nodes may have fenced it, or may be about to.',
  ],
  [
    'remote-lost',
    '792f73976cca4902a035bdbe76d148a4',
    'the connection to a remote node is lost',
    'The connection to a remote node is lost',
    'The remote node is @SYSTOLE_REMOTE@. The cluster tries to connect again and fences the node if that fails.',
  ],
  [
    'alert-failed',
    '0745e384ec014eeeb98961c9b448858d',
    'an alert could not be sent',
    'An alert could not be sent',
    'The alert is @SYSTOLE_ALERT@, because: @SYSTOLE_WHY@. Try it with: systole alert test @SYSTOLE_ALERT@.',
  ],
  [
    'certificate-not-renewed',
    '3de0573120e7466fb54fd1d8730a4929',
    'the certificate of this node could not be renewed yet',
    'The certificate of this node could not be renewed',
    'It is tried again. Look at: systole pki status.',
  ],
  [
    'needs-administrator',
    'c85c7e23609943c38adae691dccebf1f',
    'something on this node needs an administrator',
    'Something on this node needs an administrator',
    'The message says what. The same stands in: systole status.',
  ],
  [
    'machine-sick',
    '9f2c34bff2f94e55a21f799783c824af',
    'a part of a machine is not well',
    'A part of a machine is not well',
    'Look at: systole node health.',
  ],
  [
    'api-call',
    '4aaf5cc9d2104872b50456367a232b6e',
    'a call of the HTTPS API',
    'A change by the HTTPS API',
    'The user is @SYSTOLE_USER@, from @SYSTOLE_FROM@.',
  ],
  [
    'login-failed',
    'a1103e8b609b48e689e04b5fb0c543ca',
    'a login at the HTTPS API has failed',
    'A login at the HTTPS API has failed',
    'The user is @SYSTOLE_USER@, from @SYSTOLE_FROM@. After several attempts the address is not answered for a while.',
  ],
  [
    'host-let-in',
    '4335f3a21ea345b48d3d9b145d3059df',
    'a host was let in',
    'A host has got a certificate of the cluster',
    'It had a join token. Tokens and their use are shown by: systole cluster token list.',
  ],
]

/** By their messages. */
export const messageKinds: ReadonlyMap<string, MessageKind> = new Map(
  kinds.map(([name, id, message, subject, explanation]) => [message, { name, id, message, subject, explanation }]),
)
