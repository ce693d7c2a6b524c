import { isGitError } from '../../../core/git/index.ts'
import { type Repo, repoQueries, repoDeletion } from '../../repositories/index.ts'
import type { CheckOptions, Finding, Core, Services } from '../../../core/module.ts'
import { listUnfinishedJobs } from '../../../core/jobs/index.ts'
import { type FindingsByName, recheck } from '../../../core/platform/recheck.ts'

interface DriftDeps extends Pick<Core, 'database' | 'git'> {
  readonly pushes: Pick<Services['pushes'], 'inspect'>
  readonly wikis: Pick<Services['wikis'], 'inspect'>
}

interface Difference {
  readonly state: 'note' | 'problem'
  /** Unchanged as long as neither the disk nor the rows change. */
  readonly value: string
}

/** Differences between the rows of a repository and its files. */
type Differences = FindingsByName<Difference>

/** The findings of a first check, by repository. */
type Suspects = Map<Repo['id'], Differences>

/**
 * NOTE: reads the row again, because that of the caller may be minutes old. Empty for a repository that was deleted.
 */
async function findDifferences(deps: DriftDeps, id: Repo['id']): Promise<Differences> {
  const repo = await repoQueries.findById(deps.database.read, id)
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

/**
 * Excludes differences that have been recorded since. Differences that the startup job is about to repair are notes.
 */
const confirmDifferences = (deps: CheckReposDeps, suspects: Suspects): Findings =>
  recheck(suspects, {
    check: (id) => findDifferences(deps, id),
    async loadPending() {
      const jobs = await listUnfinishedJobs(deps.database.read, ['repos.reconcile'])
      return () => jobs.length > 0
    },
    pauseMs: deps.tuning.recheckMs,
  })

export interface CheckReposDeps extends DriftDeps, Pick<Core, 'tuning'> {
  readonly pushes: Pick<Services['pushes'], 'inspect' | 'reconcile'>
  readonly wikis: Pick<Services['wikis'], 'inspect' | 'reconcile'>
}

const WIKI = /\.wiki$/

type Findings = AsyncGenerator<Finding, void, undefined>
type Describe = (what: string, state: Finding['state']) => Finding

/**
 * Checks every repository of the database against its directory, then every directory against the database. Without
 * `fix` the server may be running: differences from rows are checked again at the end.
 */
export async function* checkStoredRepos(deps: CheckReposDeps, options: CheckOptions): Findings {
  const total = await repoQueries.count(deps.database.read)
  const suspects: Suspects = new Map()
  let done = 0
  for await (const id of repoQueries.walkIds(deps.database.read)) {
    const repo = await repoQueries.findById(deps.database.read, id)
    if (repo !== undefined) yield* checkRepo(deps, repo, { ...options, suspects })
    options.progress?.(++done, total)
  }
  yield* confirmDifferences(deps, suspects)
  yield* findStrayDirectories(deps)
}

const describer =
  (subject: string): Describe =>
  (what, state) => ({ what: `${subject}: ${what}`, state })

interface RepoCheck extends CheckOptions {
  /** Collects the repositories that differ from their rows, unless these are repaired. */
  readonly suspects: Suspects
}

async function* checkRepo(deps: CheckReposDeps, repo: Repo, { fix, quick, suspects }: RepoCheck): Findings {
  const { database, git } = deps
  const depth = quick ? 'reachable' : 'everything'
  if (await git.repoExists(repo.storage)) {
    try {
      yield* checkObjects(deps, repo, depth)
      if (fix) yield* repair(deps, repo)
    } catch (error) {
      if (!isGitError(error)) throw error
      if (await repoQueries.findById(database.read, repo.id)) yield describer(repo.fullName)(error.message, 'problem')
      return
    }
  }
  const differences = await findDifferences(deps, repo.id)
  if (!fix && differences.size > 0) suspects.set(repo.id, differences)
  if (fix) for (const [what, { state }] of differences) yield { what, state }
}

/** Checks the objects of the repository and of its wiki, if it has pages. */
async function* checkObjects(
  { git }: Pick<CheckReposDeps, 'git'>,
  { storage, objectFormat, fullName }: Repo,
  depth: 'reachable' | 'everything',
): Findings {
  for (const line of await git.check({ storage, objectFormat }, depth)) yield describer(fullName)(line, 'problem')
  const wiki = { storage: `${storage}.wiki`, objectFormat }
  if (!(await git.repoExists(wiki.storage))) return
  for (const line of await git.check(wiki, depth)) yield describer(`${fullName} wiki`)(line, 'problem')
}

async function* repair({ pushes, wikis }: CheckReposDeps, { id, fullName }: Repo): Findings {
  const isWikiRepaired = await wikis.reconcile(id)
  const isRepaired = await pushes.reconcile(id)
  if (isWikiRepaired) yield describer(`${fullName} wiki`)('row and HEAD follow the refs on disk again', 'fixed')
  if (isRepaired) yield describer(fullName)('rows and HEAD follow the refs on disk again', 'fixed')
}

/** Reports directories without a repository, but does not delete them: an administrator may adopt or delete them. */
async function* findStrayDirectories({ database, git }: CheckReposDeps): Findings {
  for await (const folder of git.listStored()) {
    const used = await repoDeletion.listUsedStorages(
      database.read,
      folder.map(({ storage }) => storage.replace(WIKI, '')),
    )
    for (const { storage } of folder)
      if (!used.has(storage.replace(WIKI, ''))) yield describer(`${storage}.git`)('belongs to no repository', 'note')
  }
}
