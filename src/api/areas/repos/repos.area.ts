import type { Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'
import { createRepoOperations } from './create.routes.ts'
import { repoListOperations } from './lists.routes.ts'
import { repoOperations } from './repo.routes.ts'
import { searchOperations } from './search.routes.ts'

export function reposOperations(deps: Pick<AreaDeps, 'config' | 'guards' | 'repos' | 'site'>): Operation[] {
  return [createRepoOperations, repoListOperations, repoOperations, searchOperations].flatMap((operations) => operations(deps))
}
