import { isGitError } from '../../../core/git/index.ts'
import { listUnfinishedJobs } from '../../../core/jobs/index.ts'
import { type Look, lookAgain } from '../../../core/platform/second-look.ts'
import type { Pushes, Wikis } from '../../code/index.ts'
import { type Repo, findRepoById } from '../../repositories/index.ts'
import type { Core, Finding } from '../../../core/module.ts'

export interface DriftDeps extends Pick<Core, 'database' | 'git'> {
  readonly pushes: Pick<Pushes, 'inspect'>
  readonly wikis: Pick<Wikis, 'inspect'>
}

interface Difference {
  readonly state: 'note' | 'problem'
  /** The same as long as neither the disk nor the rows change. */
  readonly value: string
}

/** Differences of a repository between its rows and what is on disk. */
type Differences = Look<Difference>

/** What a first look found, by repository. */
export type Suspects = Map<Repo['id'], Differences>

/** NOTE: reads the row itself: that of the caller may be minutes old. Empty for a repository that was deleted. */
export async function findDifferences(deps: DriftDeps, id: Repo['id']): Promise<Differences> {
  const repo = await findRepoById(deps.database.read, id)
  if (repo === undefined) return new Map()
  const { fullName, storage } = repo
  if (!(await deps.git.repoExists(storage))) {
    const advice = 'Restore it from a backup, or delete the repository.'
    return new Map([[`${fullName}: its directory ${storage}.git is missing. ${advice}`, problem('')]])
  }
  try {
    return new Map([...(await wikiDifferences(deps, repo)), ...(await refDifferences(deps, repo))])
  } catch (error) {
    if (!isGitError(error)) throw error
    return new Map([[`${fullName}: ${error.message}`, problem('')]])
  }
}

const problem = (value: string): Difference => ({ state: 'problem', value })

async function refDifferences({ pushes }: DriftDeps, { id, fullName }: Repo): Promise<[string, Difference][]> {
  const drift = await pushes.inspect(id)
  return [
    ...(drift?.changes ?? []).map(({ ref, oldOid, newOid }): [string, Difference] => [
      `${fullName}: ${ref} moved without a record`,
      problem(`${oldOid} ${newOid}`),
    ]),
    ...(drift?.head === undefined ? [] : [drift.head]).map((head): [string, Difference] => [
      `${fullName}: HEAD is not the default branch ${head}`,
      problem(''),
    ]),
  ]
}

async function wikiDifferences(
  { wikis }: DriftDeps,
  { id, fullName, wikiBranch }: Repo,
): Promise<[string, Difference][]> {
  const drift = await wikis.inspect(id)
  if (drift === undefined) return []
  const { branch, oid, isHeadWrong } = drift
  return isHeadWrong || branch !== wikiBranch
    ? [[`${fullName} wiki: HEAD and the row do not name the branch of the pages, ${branch}`, problem('')]]
    : [
        [
          `${fullName} wiki: ${branch} moved without a record; the server takes it in at its next start`,
          { state: 'note', value: String(oid) },
        ],
      ]
}

/** Without what was about to be recorded. What the job of every start is about to repair is a note. */
export const confirmDifferences = (deps: DriftDeps, suspects: Suspects): AsyncGenerator<Finding, void, undefined> =>
  lookAgain(suspects, {
    look: (id) => findDifferences(deps, id),
    async loadPending() {
      const jobs = await listUnfinishedJobs(deps.database.read, ['repos.reconcile'])
      return () => jobs.length > 0
    },
  })
