import type { AreaDeps } from '../../app/deps.ts'
import type { Operation } from '../../http/operation.ts'
import { createRepoOperations } from './creation/create.operations.ts'
import { repoListOperations } from './lists/lists.operations.ts'
import { searchOperations } from './lists/search.operations.ts'
import { repoOperations } from './repo.operations.ts'

export function reposOperations(deps: Pick<AreaDeps, 'config' | 'guards' | 'repos' | 'site'>): Operation[] {
  return [createRepoOperations, repoListOperations, repoOperations, searchOperations].flatMap((operations) =>
    operations(deps),
  )
}
