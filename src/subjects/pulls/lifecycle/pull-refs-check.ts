import { isGitError } from '../../../git/index.ts'
import { findRepoById, type Repo, walkRepoIds } from '../../repos/index.ts'
import type { DoctorCheck, Finding } from '../../subject.ts'
import { pullMergeRef } from '../pull.policy.ts'
import { findPullDrift, type PullDrift, reconcilePulls } from './reconcile-pulls.ts'

type Deps = Parameters<typeof reconcilePulls>[0]

/**
 * Finds pull requests whose head ref is missing or differs from the row, which `fix` writes, and closed ones with the
 * ref of a test merge, which `fix` deletes.
 */
export const pullRefsCheck = (deps: Deps): DoctorCheck => ({
  name: 'pull requests',
  async *run({ fix }) {
    const { read } = deps.database
    for await (const id of walkRepoIds(read)) {
      const repo = await findRepoById(read, id)
      if (repo === undefined || !(await deps.git.repoExists(repo.storage))) continue
      try {
        yield* checkRepo(deps, repo, fix)
      } catch (error) {
        if (!isGitError(error)) throw error
        yield { what: `${repo.fullName}: ${error.message}`, state: 'problem' }
      }
    }
  },
})

async function* checkRepo(deps: Deps, repo: Repo, fix: boolean): AsyncGenerator<Finding, void, undefined> {
  const faults = faultsOf(await findPullDrift(deps, repo))
  if (faults.size === 0) return
  if (fix) await reconcilePulls(deps, repo.id)
  const left = fix ? faultsOf(await findPullDrift(deps, repo)) : faults
  for (const [ref, fault] of faults)
    yield { what: `${repo.fullName}: ${ref} ${fault}`, state: left.has(ref) ? 'problem' : 'fixed' }
}

const faultsOf = ({ refs, wrong, ended }: PullDrift): Map<string, string> =>
  new Map([
    ...wrong.map(({ ref }) => [ref, refs.get(ref) === undefined ? 'is missing' : 'differs from its row'] as const),
    ...ended.map(({ number }) => [pullMergeRef(number), 'is of a closed pull request'] as const),
  ])
