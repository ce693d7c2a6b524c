import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { GitRefName } from '../../../core/http/answer/text.ts'

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
