import { Type } from '@sinclair/typebox'

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
  },
  { additionalProperties: false, description: 'Issues.' },
)
