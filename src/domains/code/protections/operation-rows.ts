import type { Guards } from '../../../core/module.ts'

const common = { area: 'repository', scopes: ['repository'] } as const

type RepoGuards = Pick<Guards, 'repo'>

/** The common part of operations that read branch or tag protections. */
export const readRow = (guards: RepoGuards) =>
  ({ ...common, guard: guards.repo('admin'), errors: [401, 403, 404] }) as const

/** Like `readRow`, for changes: archived repositories reject them. */
export const writeRow = (guards: RepoGuards) =>
  ({ ...common, guard: guards.repo('admin', { archived: 'refuse' }), errors: [401, 403, 404, 422, 423] }) as const
