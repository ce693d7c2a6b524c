import { Type } from '@sinclair/typebox'

const Keywords = (words: readonly string[], does: string) =>
  Type.Array(Type.String({ pattern: '^[^\\s:#!@/]{1,50}$' }), {
    default: [...words],
    description: `Words directly before a reference in a commit or pull request that ${does} the issue; case does not count.`,
  })

export const issueSection = Type.Object(
  {
    allow_cross_repository_dependencies: Type.Boolean({
      default: true,
      description: 'Let issues depend on issues of other repositories.',
    }),
    max_pinned: Type.Integer({
      default: 3,
      minimum: 0,
      maximum: 100,
      description: 'Most pinned issues of a repository, and as many pinned pull requests.',
    }),
    close_keywords: Keywords(
      ['close', 'closes', 'closed', 'fix', 'fixes', 'fixed', 'resolve', 'resolves', 'resolved'],
      'close',
    ),
    reopen_keywords: Keywords(['reopen', 'reopens', 'reopened'], 'reopen'),
    close_from_any_branch: Type.Boolean({
      default: false,
      description: 'Let these words act in commits of every branch, not of the default branch alone.',
    }),
  },
  { additionalProperties: false, description: 'Issues.' },
)
