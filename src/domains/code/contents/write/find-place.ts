import type { Db } from '../../../../core/db/database.ts'
import { branchRef, type GitRepo, isNewRefName } from '../../../../core/git/index.ts'
import { invalid, invalidField, notFound } from '../../../../core/platform/errors.ts'
import type { Pushes } from '../../pushes/pushes.service.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import type { FileChange } from './commit-request.ts'

/** Where a commit is created: its parent, and the branch with the value that it must still have. */
export interface Place {
  readonly name: string
  readonly parent: string | undefined
  readonly oldOid: string
}

interface PlaceDeps {
  readonly read: Db
  readonly pushes: Pick<Pushes, 'recorded'>
}

/** Throws NotFound and Invalid (behaviour/git-data-and-transport#writing-contents). */
export async function findPlace(
  deps: PlaceDeps,
  git: GitRepo,
  repo: Repo,
  { branch, newBranch, force }: FileChange,
): Promise<Place> {
  const start = branch || (await findDefaultBranch(deps, git, repo))
  const snapshot = await git.refs.snapshot()
  const name = newBranch || start
  const existing = snapshot.get(branchRef(name))?.oid
  if (existing === undefined && !isNewRefName(name))
    throw invalidField(newBranch ? 'NewBranch' : 'Branch', 'GitRefName')
  const isEmpty = snapshot.list('refs/heads/').length === 0
  const parent = snapshot.get(branchRef(start))?.oid
  if (parent === undefined && !isEmpty) throw notFound(`branch does not exist [repo_id: ${repo.id} name: ${start}]`)
  if (name !== start && existing !== undefined && !force) throw invalid(`branch already exists [name: ${name}]`)
  return { name, parent, oldOid: existing ?? git.zeroOid }
}

/**
 * The default branch now: a request may take minutes to arrive, and the branch may be renamed meanwhile. NOTE: a rename
 * moves the ref before it writes the row.
 */
async function findDefaultBranch({ read, pushes }: PlaceDeps, git: GitRepo, { id }: Repo): Promise<string> {
  const load = async (): Promise<string> => {
    const repo = await findRepoById(read, id)
    if (repo === undefined) throw notFound('repository does not exist')
    return repo.defaultBranch
  }
  const name = await load()
  if ((await git.refs.snapshot()).get(branchRef(name)) !== undefined) return name
  await pushes.recorded(id)
  return load()
}
