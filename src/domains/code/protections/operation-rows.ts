import type { Guards } from '../../../core/module.ts'

const common = { area: 'repository', scopes: ['repository'] } as const

type RepoGuards = Pick<Guards, 'repo'>

/** What the operations that read protections of branches or tags have in common. */
export const readRow = (guards: RepoGuards) =>
  ({ ...common, guard: guards.repo('admin'), errors: [401, 403, 404] }) as const

/** As readRow, for changes: an archived repository refuses them. */
export const writeRow = (guards: RepoGuards) =>
  ({ ...common, guard: guards.repo('admin', { archived: 'refuse' }), errors: [401, 403, 404, 422, 423] }) as const
