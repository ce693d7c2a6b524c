import type { Core, DoctorCheck } from '../../../../core/module.ts'
import type { SideDatabase } from '../../../../core/db/side-database.ts'
import { branchRef, isGitError } from '../../../../core/git/index.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { findIndexState, listDeletedRepos } from './code-index.store.ts'

interface CodeIndexCheckDeps extends Pick<Core, 'database' | 'git' | 'jobs'> {
  readonly index: SideDatabase
}

/** Finds repositories whose code is not indexed; `fix` enqueues their indexing. */
export function codeIndexCheck({ database, git, jobs, index }: CodeIndexCheckDeps): DoctorCheck {
  async function isOutdated(id: Parameters<typeof findIndexState>[1]): Promise<boolean> {
    const repo = await repoQueries.findById(database.read, id)
    if (repo === undefined) return false
    try {
      const tip = (await git.open(repo).refs.snapshot()).get(branchRef(repo.defaultBranch))?.oid ?? ''
      return (await findIndexState(index.read, id))?.oid !== tip
    } catch (error) {
      // NOTE: a repository that cannot be read is a finding of another check.
      if (isGitError(error)) return false
      throw error
    }
  }
  return {
    name: 'code search',
    async *run({ fix }) {
      let outdated = (await listDeletedRepos(index.read)).length
      for await (const id of repoQueries.walkIds(database.read)) if (await isOutdated(id)) outdated++
      if (outdated === 0) return
      if (fix)
        await database.transaction((tx) => jobs.enqueue(tx, 'repos.index_code', { rebuild: false }, { key: 'check' }))
      yield {
        what: `the index of code lacks the state of ${outdated} repositories${fix ? ': the server will index them' : ''}`,
        state: fix ? 'fixed' : 'note',
      }
    },
  }
}
