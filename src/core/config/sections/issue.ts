import { Type } from '@sinclair/typebox'

const Keywords = (words: readonly string[], does: string) =>
  Type.Array(Type.String({ pattern: '^[^\\s:#!@/]{1,50}$' }), {
    default: [...words],
    description: `Words that ${does} an issue if they stand directly before a reference to it in a commit or pull request; case does not count.`,
  })

export const issueSection = Type.Object(
  {
    allow_cross_repository_dependencies: Type.Boolean({
      default: true,
      description: 'Allow issues to depend on issues of other repositories.',
    }),
    max_pinned: Type.Integer({
      default: 3,
      minimum: 0,
      maximum: 100,
      description: 'Maximum number of pinned issues of a repository, and of pinned pull requests.',
    }),
    close_keywords: Keywords(
      ['close', 'closes', 'closed', 'fix', 'fixes', 'fixed', 'resolve', 'resolves', 'resolved'],
      'close',
    ),
    reopen_keywords: Keywords(['reopen', 'reopens', 'reopened'], 'reopen'),
    close_from_any_branch: Type.Boolean({
      default: false,
      description: 'Apply these words in commits of every branch, not only of the default branch.',
    }),
  },
  { additionalProperties: false, description: 'Issues.' },
)
