/** Repositories that follow others, and others that follow ours. */
export { readMirrorInterval } from './mirror-interval.ts'
export { createPullMirrors, type PullMirrorDeps, type PullMirrors } from './pull-mirrors.ts'
export type { PushMirror } from '../../db/stores/push-mirror.store.ts'
export type { NewPushMirror } from './plan-push-mirror.ts'
export { createPushMirrors, type PushMirrorDeps, type PushMirrors } from './push-mirrors.ts'
export { createRemoteAccess, remoteProblem, type FoundRemote, type RemoteAccess, type RemoteAccessDeps } from './remote-access.ts'
export { parseRemoteAddress, wikiAddress, type RemoteAddress } from './remote-address.ts'
