import { type Static, Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { GitRefName } from '../../../core/http/answer/text.ts'

/** A branch of a fork compared with its base. */
export const SyncForkInfo = Type.Object(
  {
    allowed: Type.Boolean({ description: 'Whether the branch can be moved forward to that of the base' }),
    fork_commit: Type.String(),
    base_commit: Type.String(),
    commits_behind: Type.Integer({ description: 'Commits of the base that the fork lacks' }),
  },
  { $id: 'SyncForkInfo' },
)

export const CreateForkOption = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 100, description: 'Else that of the base' })),
    organization: Type.Optional(Type.String({ maxLength: 100, description: 'Owner of the fork, else the caller' })),
  },
  { $id: 'CreateForkOption' },
)
export type CreateForkOption = Static<typeof CreateForkOption>

export const MergeUpstreamRequest = Type.Object(
  {
    branch: Type.Optional(Type.String({ maxLength: NAME_LENGTH })),
    ff_only: Type.Optional(Type.Boolean({ description: 'Refuse a merge commit' })),
  },
  { $id: 'MergeUpstreamRequest' },
)
export const MergeUpstreamResponse = Type.Object(
  { merge_type: Type.String({ description: 'up-to-date, fast-forward or merge' }) },
  { $id: 'MergeUpstreamResponse' },
)

const item = (description: string) => Type.Optional(Type.Boolean({ description }))

export const GenerateRepoOption = Type.Object(
  {
    owner: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH, description: 'User or organization that gets the repository' }),
    ),
    name: Type.String({ pattern: String.raw`^[-.\w]+$`, 'x-rule': 'AlphaDashDot', maxLength: 100 }),
    default_branch: Type.Optional(GitRefName({ maxLength: 100, description: "The template's when absent" })),
    description: Type.Optional(Type.String({ maxLength: 2048 })),
    private: Type.Optional(Type.Boolean()),
    git_content: item('The files of the default branch, as one new commit'),
    topics: item('Its topics'),
    git_hooks: item('Its git hooks'),
    webhooks: item('Its webhooks'),
    avatar: item('Its avatar'),
    labels: item('Its labels'),
    protected_branch: item('Its branch protections'),
  },
  { $id: 'GenerateRepoOption' },
)
export type GenerateRepoOption = Static<typeof GenerateRepoOption>
