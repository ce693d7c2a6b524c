import { Type } from '@sinclair/typebox'

/** How a branch of a fork stands to its base. */
export const SyncForkInfo = Type.Object(
  {
    allowed: Type.Boolean({ description: 'Whether the branch can be moved forward to that of the base' }),
    fork_commit: Type.String(),
    base_commit: Type.String(),
    commits_behind: Type.Integer({ description: 'Commits of the base that the fork lacks' }),
  },
  { $id: 'SyncForkInfo' },
)
