import type { Db, Tx } from '../../../../core/db/database.ts'
import { type GitRepo, isValidBranchName } from '../../../../core/git/index.ts'
import { issueImports, issueQueries } from '../../../issues/index.ts'
import { isDraftTitle, type PreparedCommits, pullHeadRef, pullImports, reviewImports } from '../../../pulls/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourcePull } from '../source.ts'
import { chunksOf } from './chunks.ts'
import { fetchHeads, findRemote, type HeadDeps } from './fetch-heads.ts'
import { importedIssues } from './pull-issues.ts'

interface PullsPhaseDeps extends HeadDeps {
  readonly database: { readonly read: Db }
  /** Titles that begin with one of these are drafts. */
  readonly draftPrefixes: readonly string[]
}

/** A pull request whose commits are in the repository. */
interface Prepared {
  readonly pull: SourcePull
  readonly commits: PreparedCommits
  readonly isClosed: boolean
}

/**
 * Imports pull requests with their commits, which `refs/pull/N/head` keeps, also those of forks and deleted branches.
 * The cursor is the highest number that was read.
 */
export const pullsPhase = (deps: PullsPhaseDeps): ImportPhase => ({
  name: 'pulls',
  isWanted: ({ parts }) => parts.has('pull_requests'),
  async *steps(context, cursor) {
    let last = Number(cursor)
    let remote: Awaited<ReturnType<typeof findRemote>> | undefined
    for await (const items of chunksOf(context.source.pulls(last, context.signal))) {
      const pulls = await withoutTaken(deps.database.read, context, items)
      remote ??= await findRemote(deps, context)
      await fetchHeads(deps, context, { remote, pulls })
      const prepared = await preparePulls(context, pulls)
      last = Math.max(last, ...items.map(({ number }) => number))
      yield { cursor: String(last), count: items.length, write: (tx) => writePulls(tx, context, deps, prepared) }
    }
  },
})

/** Leaves out pull requests whose number is no number, or that of another issue or pull request. */
async function withoutTaken(
  read: Db,
  { repoId, warn }: PhaseContext,
  pulls: readonly SourcePull[],
): Promise<SourcePull[]> {
  const issues = await issueQueries.listByNumbers(read, new Map([[repoId, pulls.map(({ number }) => number)]]))
  const taken = new Set(issues.map(({ number }) => number))
  return pulls.filter(({ number }) => {
    const isFree = Number.isSafeInteger(number) && number > 0 && !taken.has(number)
    if (!isFree) warn(`a pull request was not imported: its number ${number} is taken`)
    taken.add(number)
    return isFree
  })
}

const preparePulls = ({ repo, warn }: PhaseContext, pulls: readonly SourcePull[]): Promise<Prepared[]> =>
  repo.writing(async () => {
    const prepared: Prepared[] = []
    for (const pull of pulls) {
      const commits = await pullImports.prepare(repo, {
        fetched: (await repo.refs.snapshot()).get(pullHeadRef(pull.number))?.oid,
        head: pull.head.oid,
        ownBranch: isOwnBranch(pull) ? pull.head.branch : undefined,
        baseBranch: pull.base.branch,
        base: pull.base.oid,
        mergeBase: pull.mergeBase,
        merged: pull.merged?.oid,
        isClosed: pull.isClosed,
      })
      if (commits === undefined) warn(`pull request #${pull.number} was not imported: the repository has no commits`)
      else prepared.push({ pull, commits, isClosed: pull.isClosed || pull.merged !== undefined || commits.isHeadGone })
    }
    await pointRefs(repo, prepared)
    for (const { pull, commits } of prepared) reportGone(warn, pull, commits)
    return prepared
  })

const isOwnBranch = ({ head }: SourcePull): boolean => head.isSameRepo && isValidBranchName(head.branch)

/** The refs of pull requests agree with their rows. */
async function pointRefs(repo: GitRepo, prepared: readonly Prepared[]): Promise<void> {
  const refs = await repo.refs.snapshot()
  const updates = prepared
    .map(({ pull, commits }) => ({ ref: pullHeadRef(pull.number), new: commits.headOid }))
    .filter((update) => refs.get(update.ref)?.oid !== update.new)
  await repo.refs.update(updates)
}

function reportGone(
  warn: PhaseContext['warn'],
  { number, base, isClosed, merged }: SourcePull,
  { isHeadGone, isBaseGone, mergedOid }: PreparedCommits,
): void {
  const isOpen = !isClosed && merged === undefined
  if (isHeadGone)
    warn(`the commits of pull request #${number} are missing${isOpen ? '; it was imported as a closed one' : ''}`)
  else if (merged !== undefined && merged.oid !== mergedOid)
    warn(`the commit that merged pull request #${number} is missing`)
  if (isBaseGone && isOpen) warn(`the base branch ${base.branch} of pull request #${number} is missing`)
}

async function writePulls(
  tx: Tx,
  context: PhaseContext,
  { draftPrefixes }: PullsPhaseDeps,
  prepared: readonly Prepared[],
): Promise<void> {
  const { author, mapped, repoId, actor } = context
  const issues = prepared.map(({ pull, isClosed }) => ({ ...pull, isClosed }))
  const ids = await issueImports.insertIssues(tx, repoId, await importedIssues(tx, context, issues, { isPull: true }))
  for (const { pull, commits, isClosed } of prepared) {
    const { number, base, head, merged, title, isDraft, updatedAt, allowsMaintainerEdit, requestedReviewers } = pull
    const issueId = ids.get(number)
    if (issueId === undefined) continue
    const inserted = await pullImports.insert(tx, {
      issueId,
      repoId,
      baseBranch: base.branch.slice(0, MAX_BRANCH),
      headBranch: head.branch.slice(0, MAX_BRANCH),
      isSameRepo: isOwnBranch(pull),
      commits,
      isClosed,
      isDraft: isDraft || isDraftTitle(title, draftPrefixes),
      allowsMaintainerEdit,
      merged: merged && { ...merged, byId: merged.by ? author(merged.by).userId : actor.account.id },
    })
    const reviewers = new Set(requestedReviewers.flatMap((user) => mapped(user) ?? []))
    reviewers.delete(author(pull.author).userId)
    for (const userId of reviewers) await reviewImports.insertRequest(tx, inserted, userId, updatedAt)
  }
}

const MAX_BRANCH = 255
