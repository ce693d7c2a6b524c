import type { Database, Tx } from '../../../../core/db/database.ts'
import { type GitRepo, isValidBranchName, type RefSnapshot } from '../../../../core/git/index.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { issueImports } from '../../../issues/index.ts'
import { isDraftTitle, type PreparedCommits, pullHeadRef, pullImports, reviewImports } from '../../../pulls/index.ts'
import type { ImportPhase, PhaseContext } from '../phase.ts'
import type { SourcePull } from '../source.ts'
import { batchesOf } from './batches.ts'
import { cleanText, pastTime } from './clean-values.ts'
import { fetchHeads, findRemote, type HeadDeps } from './fetch-heads.ts'
import { type IssueWriterDeps, type PreparedIssue, prepareIssue, writeIssues } from './imported-issues.ts'

export interface PullsPhaseDeps extends HeadDeps, IssueWriterDeps {
  readonly database: Pick<Database, 'read'>
  /** Titles that begin with one of these are drafts. */
  readonly draftPrefixes: readonly string[]
}

/** A pull request whose commits are in the repository. */
interface Prepared {
  readonly pull: SourcePull
  readonly commits: PreparedCommits
  readonly issue: PreparedIssue
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
    let unpacked = 0
    let remote: Awaited<ReturnType<typeof findRemote>> | undefined
    for await (const page of context.source.pulls(last, context.signal))
      for (const batch of batchesOf(page, ({ body }) => body.length)) {
        const pulls = await withoutTaken(deps, context, batch)
        unpacked += pulls.length
        if (unpacked > MAX_UNPACKED) await deps.git.maintain(context.repo, 'push')
        if (unpacked > MAX_UNPACKED) unpacked = 0
        remote ??= await findRemote(deps, context)
        await fetchHeads(deps, context, { remote, pulls })
        const prepared = await preparePulls(deps, context, pulls)
        last = Math.max(last, ...pulls.map(({ number }) => number))
        yield { cursor: String(last), count: batch.length, write: (tx) => writePulls(tx, context, deps, prepared) }
      }
  },
})

/** NOTE: a ref costs a file and a fetch a pack, and each step reads all of them, until maintenance packs them. */
const MAX_UNPACKED = 500

/** Omits pull requests whose number is invalid, or that of another issue or pull request. */
async function withoutTaken(
  { database: { read } }: PullsPhaseDeps,
  { repoId, warn }: PhaseContext,
  pulls: readonly SourcePull[],
): Promise<SourcePull[]> {
  const isNumber = (number: number): boolean => Number.isSafeInteger(number) && number > 0 && number <= MAX_NUMBER
  const ids = await issueImports.listIds(read, repoId, pulls.map(({ number }) => number).filter(isNumber))
  const taken = new Set(ids.keys())
  return pulls.filter(({ number }) => {
    const isFree = isNumber(number) && !taken.has(number)
    if (!isFree) warn(`a pull request was not imported: its number ${number} is invalid or taken`)
    taken.add(number)
    return isFree
  })
}

const MAX_NUMBER = 1_000_000_000

async function preparePulls(
  deps: PullsPhaseDeps,
  context: PhaseContext,
  pulls: readonly SourcePull[],
): Promise<Prepared[]> {
  const prepared: Prepared[] = []
  for (const [pull, commits] of await prepareCommits(context, pulls)) {
    reportMissing(context.warn, pull, commits)
    const isClosed = pull.isClosed || pull.merged !== undefined || commits.isHeadMissing
    const closedAt = pull.closedAt ?? pull.merged?.at
    const issue = await prepareIssue(deps, context, { ...pull, isClosed, closedAt }, true)
    if (issue !== undefined) prepared.push({ pull, commits, issue })
  }
  return prepared
}

const prepareCommits = (
  { repo, warn }: PhaseContext,
  pulls: readonly SourcePull[],
): Promise<ReadonlyMap<SourcePull, PreparedCommits>> =>
  repo.writing(async () => {
    const prepared = new Map<SourcePull, PreparedCommits>()
    const refs = await repo.refs.snapshot()
    const found = { git: repo, refs }
    for (const pull of pulls) {
      const commits = await pullImports.prepare(found, {
        fetched: refs.get(pullHeadRef(pull.number))?.oid,
        head: pull.head.oid,
        ownBranch: isOwnBranch(pull) ? pull.head.branch : undefined,
        baseBranch: pull.base.branch,
        base: pull.base.oid,
        mergeBase: pull.mergeBase,
        merged: pull.merged?.oid,
        isClosed: pull.isClosed,
      })
      if (commits === undefined) warn(`pull request ${pull.number} was not imported: the repository has no commits`)
      else prepared.set(pull, commits)
    }
    await pointRefs(found, prepared)
    return prepared
  })

const isOwnBranch = ({ head }: SourcePull): boolean => head.isSameRepo && isValidBranchName(head.branch)

/** The refs of pull requests agree with their rows. */
async function pointRefs(
  { git, refs }: { readonly git: GitRepo; readonly refs: RefSnapshot },
  prepared: ReadonlyMap<SourcePull, PreparedCommits>,
): Promise<void> {
  const updates = [...prepared]
    .map(([{ number }, { headOid }]) => ({ ref: pullHeadRef(number), new: headOid }))
    .filter((update) => refs.get(update.ref)?.oid !== update.new)
  await git.refs.update(updates)
}

function reportMissing(
  warn: PhaseContext['warn'],
  { number, base, isClosed, merged }: SourcePull,
  { isHeadMissing: isHeadGone, isBaseMissing: isBaseGone, mergedOid }: PreparedCommits,
): void {
  const isOpen = !isClosed && merged === undefined
  if (isHeadGone)
    warn(`the commits of pull request ${number} are missing${isOpen ? '; it was imported as a closed one' : ''}`)
  else if (merged !== undefined && merged.oid !== mergedOid)
    warn(`the commit that merged pull request ${number} is missing`)
  if (isBaseGone && isOpen) warn(`the base branch ${base.branch} of pull request ${number} is missing`)
}

async function writePulls(
  tx: Tx,
  context: PhaseContext,
  { clock, draftPrefixes }: PullsPhaseDeps,
  prepared: readonly Prepared[],
): Promise<void> {
  const { author, mapped, repoId, actor } = context
  const issues = prepared.map(({ issue }) => issue)
  const ids = await writeIssues(tx, context, issues)
  for (const { pull, commits, issue } of prepared) {
    const { base, head, merged, allowsMaintainerEdit } = pull
    const { number, title, isClosed, updatedAt, authorId } = issue.row
    const issueId = ids.get(number)
    if (issueId === undefined) continue
    const inserted = await pullImports.insert(tx, {
      issueId,
      repoId,
      baseBranch: branchName(base.branch),
      headBranch: branchName(head.branch),
      isSameRepo: isOwnBranch(pull),
      commits,
      isClosed,
      isDraft: pull.isDraft || isDraftTitle(title, draftPrefixes),
      allowsMaintainerEdit,
      merged: merged && {
        style: merged.style,
        at: pastTime(merged.at, clock.now(), updatedAt),
        byId: merged.by ? author(merged.by).userId : actor.account.id,
      },
    })
    const reviewers = new Set(pull.requestedReviewers.slice(0, MAX_REVIEWERS).flatMap((user) => mapped(user) ?? []))
    reviewers.delete(authorId)
    for (const userId of reviewers) await reviewImports.insertRequest(tx, inserted, userId, updatedAt)
  }
}

const branchName = (name: string): string => cleanText(name).slice(0, NAME_LENGTH)

const MAX_REVIEWERS = 100
