/**
 * Who is here. Three cores: `heartbeatStep` hears and misses the other daemons, and finds out that this node itself was
 * paused, `linksStep` knows on which of several links they are heard (both run in the pulse thread); `presenceStep` brings this
 * node into the cluster and takes it out cleanly.
 */
export {
  agreedSilence,
  type HeartbeatEffect,
  type HeartbeatInput,
  type HeartbeatState,
  type HeartbeatTimings,
  heartbeatStep,
  initialHeartbeat,
  nextHeartbeatAt,
  type PeerView,
  type Pulse,
  peerViews,
} from './heartbeat.ts'
export {
  deadLinks,
  initialLinks,
  isWhollyBroken,
  type LinksInput,
  type LinksState,
  type LinkView,
  type ListedLink,
  linksStep,
  linkViews,
  nextLinksAt,
  type PeerLink,
  silentLinks,
} from './links.ts'
export {
  initialPresence,
  nextPresenceAt,
  type OwnMember,
  type PresenceEffect,
  type PresenceInput,
  type PresenceState,
  presenceStep,
} from './presence.ts'
