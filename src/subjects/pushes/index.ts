export { type MoveOptions, type Pushes, PushRefusedError } from './accept-push.ts'
export type { GitTransport } from './git-transport.ts'
export type { RefChange } from './record-push.ts'
export { mapRenamedBranches, recordBranchRename } from './renamed-branch.store.ts'
