import { isGitError } from '../../../git/index.ts'
import { findRepoById, type Repo, walkRepoIds } from '../../repos/index.ts'
import type { DoctorCheck, Finding } from '../../subject.ts'
import { findPullDrift, reconcilePulls } from './reconcile-pulls.ts'

type Deps = Parameters<typeof reconcilePulls>[0]

/** Finds pull requests whose head ref is missing or differs from the row; `fix` writes it. */
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
  const { refs, wrong } = await findPullDrift(deps, repo)
  if (wrong.length === 0) return
  if (fix) await reconcilePulls(deps, repo.id)
  const left = new Set(fix ? (await findPullDrift(deps, repo)).wrong.map(({ ref }) => ref) : [])
  for (const { ref } of wrong) {
    const fault = refs.get(ref) === undefined ? 'is missing' : 'differs from its row'
    const isFixed = fix && !left.has(ref)
    yield { what: `${repo.fullName}: ${ref} ${fault}`, state: isFixed ? 'fixed' : 'problem' }
  }
}
