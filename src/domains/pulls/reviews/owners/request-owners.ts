import { actorOf } from '../../../../core/access/viewer.ts'
import {
  branchRef,
  type ChangedFileList,
  type Git,
  type GitRepo,
  isGitError,
  MODE,
  type TreeEntry,
} from '../../../../core/git/index.ts'
import type { PullId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import { type Issue, issueQueries } from '../../../issues/index.ts'
import { changePull } from '../../pulls/lifecycle/pull-change.ts'
import { type Pull, findPull } from '../../pulls/records/pull.store.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { userQueries, blockQueries, teamQueries } from '../../../accounts/index.ts'
import {
  findProblem,
  type PlannedRequest,
  planRequest,
  type Reviewer,
  recordRequest,
} from '../requests/plan-requests.ts'
import { listReviewersAmong } from '../requests/request.store.ts'
import type { RequestDeps } from '../requests/requests.service.ts'
import { type OwnerRule, parseCodeOwners } from '../reviews.policy.ts'
import type { Db } from '../../../../core/db/database.ts'
import { createPauses } from '../../../../core/platform/concurrency/pauses.ts'
import { compileSafeRegExp } from '../../../../core/platform/patterns/safe-regexp.ts'

/** The maximum time for matching paths with patterns, in milliseconds; later rules have no owners. */
const MAX_WORK_MS = 5000
/** Longer paths have no owners: git cannot check them out, and matching them is slow. */
const MAX_PATH = 4096

interface MatchLimits {
  /** Milliseconds. */
  readonly maxWork?: number
}

/** The rules that match a set of changed files. */
interface MatchedRules {
  readonly rules: readonly OwnerRule[]
  /** The time limit was reached before all rules were compared. */
  readonly isCut: boolean
}

/**
 * The rules that match one of the paths: all of them count, not only the last (behaviour/pull-requests#code-owners). An
 * invalid pattern matches nothing. Yields to other work between patterns.
 */
export async function matchOwnerRules(
  rules: readonly OwnerRule[],
  paths: () => Iterable<string>,
  { maxWork = MAX_WORK_MS }: MatchLimits = {},
): Promise<MatchedRules> {
  const matched: OwnerRule[] = []
  const pause = createPauses()
  let spent = 0
  for (const rule of rules) {
    const matches = await compileSafeRegExp(rule.pattern)
    if (matches === undefined) continue
    for (const path of paths()) {
      await pause()
      if (spent > maxWork) return { rules: matched, isCut: true }
      if (path.length > MAX_PATH) continue
      const begin = performance.now()
      const isMatch = matches(path) !== rule.isNegated
      spent += performance.now() - begin
      if (!isMatch) continue
      matched.push(rule)
      break
    }
  }
  return { rules: matched, isCut: false }
}

/** The maximum number of names that are looked up. */
const MAX_NAMES = 100

/**
 * The users and teams that rules name, without duplicates, users first. Ignores unknown names and teams of
 * organizations other than the owner.
 */
async function findOwners(db: Db, repo: Repo, rules: readonly OwnerRule[]): Promise<Reviewer[]> {
  const users = new Map<number, Reviewer>()
  for (const name of firstNames(rules.flatMap((rule) => rule.users))) {
    const user = await userQueries.findByName(db, name)
    if (user !== undefined) users.set(user.id, { user })
  }
  const teams = new Map<number, Reviewer>()
  const owner = repo.owner.name.toLowerCase()
  const own = rules.flatMap((rule) => rule.teams).filter(({ org }) => org.toLowerCase() === owner)
  for (const name of firstNames(own.map(({ team }) => team))) {
    const team = await teamQueries.findByName(db, repo.ownerId, name)
    if (team !== undefined) teams.set(team.id, { team })
  }
  return [...users.values(), ...teams.values()]
}

const firstNames = (names: readonly string[]): string[] =>
  [...new Set(names.map((name) => name.toLowerCase()))].slice(0, MAX_NAMES)

/** The paths of the file; the first existing one counts (behaviour/pull-requests#code-owners). */
const PLACES = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS']
const MAX_FILE_BYTES = 256 * 1024

/** The text of the file in a commit; undefined when it is missing or larger than 256 KiB. */
async function readCodeOwners(git: GitRepo, commit: string): Promise<string | undefined> {
  for (const path of PLACES) {
    const entry = await git.revisions.entryAt(commit, path)
    if (entry !== undefined && isFile(entry)) return readText(git, entry.oid)
  }
  return undefined
}

const isFile = ({ mode }: TreeEntry): boolean => mode === MODE.file || mode === MODE.executable

async function readText(git: GitRepo, oid: string): Promise<string | undefined> {
  try {
    return (await git.objects.blob(oid, MAX_FILE_BYTES)).toString()
  } catch (error) {
    if (isGitError(error, 'too-large')) return undefined
    throw error
  }
}

export interface OwnerDeps extends RequestDeps {
  readonly git: Git
  readonly log: Logger
}

interface OwnedPull {
  readonly repo: Repo
  readonly pull: Pull
  readonly issue: Issue
}

/**
 * Requests reviews from the owners of the changed files, as the author of the pull request. Skips owners who already
 * have a review or cannot be requested by hand (behaviour/pull-requests#code-owners). Does nothing for drafts, closed
 * pull requests, forks and archived repositories. Safe to run again.
 */
export async function requestOwners(deps: OwnerDeps, id: PullId): Promise<void> {
  const { read } = deps.database
  const found = await findOwnedPull(deps, id)
  if (found === undefined) return
  const { repo, pull, issue } = found
  const position = { repo, baseBranch: pull.baseBranch, authorId: issue.authorId }
  const planned: PlannedRequest[] = []
  for (const reviewer of await findOwners(read, repo, await findRules(deps, found)))
    if ((await findProblem(read, position, reviewer)) === undefined)
      planned.push(await planRequest(read, position, reviewer))
  if (planned.length > 0) await recordOwnerRequests(deps, found, planned)
}

const isReady = ({ isClosed, isDraft }: Pull): boolean => !isClosed && !isDraft

async function findOwnedPull({ database: { read } }: OwnerDeps, id: PullId): Promise<OwnedPull | undefined> {
  const pull = await findPull(read, id)
  if (pull === undefined || !isReady(pull)) return undefined
  const [repo, issue] = await Promise.all([
    repoQueries.findById(read, pull.baseRepoId),
    issueQueries.findById(read, pull.issueId),
  ])
  if (repo === undefined || issue === undefined || repo.isFork || repo.isArchived) return undefined
  return (await userQueries.findById(read, issue.authorId)) && { repo, pull, issue }
}

async function findRules({ git: store, log }: OwnerDeps, { repo, pull }: OwnedPull): Promise<readonly OwnerRule[]> {
  const git = store.open(repo)
  const text = await readDefaultBranch(git, repo)
  if (text === undefined) return []
  const files = await listFiles(git, pull)
  if (files === undefined) return []
  const { rules, isCut } = await matchOwnerRules(parseCodeOwners(text), () => files)
  if (isCut) log.warn({ pullId: pull.id }, 'matching CODEOWNERS takes too long: some rules were skipped')
  return rules
}

async function readDefaultBranch(git: GitRepo, repo: Repo): Promise<string | undefined> {
  const tip = (await git.refs.snapshot()).get(`refs/heads/${repo.defaultBranch}`)
  return tip && readCodeOwners(git, tip.oid)
}

/**
 * The files that the merge would change, or those of the diff when there is a conflict or no base. Undefined when there
 * are too many files to list.
 */
async function listFiles(
  git: GitRepo,
  { baseBranch, mergeBase, headOid }: Pull,
): Promise<Iterable<string> | undefined> {
  try {
    const shown = await git.changedFiles.list(mergeBase, headOid)
    const tip = (await git.refs.snapshot()).get(branchRef(baseBranch))?.oid
    const merged = tip && (await git.writing(() => git.merges.changedFiles(tip, headOid)))
    return merged || [...pathsOf(shown)]
  } catch (error) {
    if (isGitError(error, 'too-large')) return undefined
    throw error
  }
}

/** Both names of a renamed file. */
function* pathsOf(files: ChangedFileList): Generator<string> {
  for (const { path, previousPath, status } of files.from(0)) {
    yield path
    if (status === 'renamed' && previousPath !== undefined) yield previousPath
  }
}

async function recordOwnerRequests(
  deps: OwnerDeps,
  { repo, pull, issue }: OwnedPull,
  planned: readonly PlannedRequest[],
): Promise<void> {
  const ids = planned.flatMap(({ reviewer }): UserId[] => (reviewer.user ? [reviewer.user.id] : []))
  await changePull(deps, actorOf(issue.authorId), { repo, pull }, async (change) => {
    if (!isReady(change.pull)) return
    const excluded = new Set([
      ...(await listReviewersAmong(change.tx, pull.id, ids)),
      ...(await blockQueries.listBlockers(change.tx, issue.authorId, ids)),
    ])
    for (const each of planned)
      if (each.reviewer.user === undefined || !excluded.has(each.reviewer.user.id)) await recordRequest(change, each)
  })
}
