import type { Db } from '../../../../core/db/database.ts'
import { type NumberedPull, pullHeadRef, pullMergeRef, pullQueries } from '../../../pulls/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import type { Run } from './run.store.ts'

export interface RunPull extends NumberedPull {
  /** Undefined when the repository of the head was deleted. */
  readonly headRepo: Repo | undefined
}

const BRANCH = 'refs/heads/'

/** Loads the pull requests of a page of runs by two queries. */
export async function loadRunPulls(read: Db, runs: readonly Run[]): Promise<(run: Run) => RunPull[]> {
  const pulls = await pullQueries.listOfRefs(
    read,
    runs.map(({ repoId, ref }) => ({ repoId, ref })),
  )
  const ids = new Set(pulls.flatMap(({ pull: { headRepoId } }) => headRepoId ?? []))
  const repoOf = new Map((await repoQueries.listByIds(read, [...ids])).map((repo) => [repo.id, repo]))
  const byRef = new Map<string, RunPull[]>()
  for (const { pull, number } of pulls) {
    const { headRepoId, baseRepoId, headBranch } = pull
    const view = { pull, number, headRepo: headRepoId === undefined ? undefined : repoOf.get(headRepoId) }
    const isHere = headRepoId === baseRepoId && !pull.isClosed && !pull.isAgit
    for (const ref of [pullHeadRef(number), pullMergeRef(number), ...(isHere ? [BRANCH + headBranch] : [])]) {
      const key = `${baseRepoId}:${ref}`
      byRef.set(key, [...(byRef.get(key) ?? []), view])
    }
  }
  return ({ repoId, ref }) => byRef.get(`${repoId}:${ref}`) ?? []
}
