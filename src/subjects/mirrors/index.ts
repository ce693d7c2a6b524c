export { readIntervalSetting, readMirrorInterval } from './mirror-interval.ts'
export type { FoundRemote, RemoteAccess } from './remote-access.ts'
export { parseRemoteAddress, type RemoteAddress, wikiAddress } from './remote-address.ts'
