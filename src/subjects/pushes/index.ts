export type { GitTransport } from './git-transport.service.ts'
export { type MoveOptions, type Pushes, PushRefusedError } from './pushes.service.ts'
export type { RefChange } from './record-push.ts'
export { mapRenamedBranches, recordBranchRename } from './renamed-branch.store.ts'
