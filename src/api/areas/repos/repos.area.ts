import type { Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'
import { createRepoOperations } from './create.routes.ts'
import { repoOperations } from './repo.routes.ts'

export function reposOperations(deps: Pick<AreaDeps, 'guards' | 'repos' | 'site'>): Operation[] {
  return [createRepoOperations, repoOperations].flatMap((operations) => operations(deps))
}
