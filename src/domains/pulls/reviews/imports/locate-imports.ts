import { createPathLookup, type DiffSpan, type GitRepo, isOid, type PathLookup } from '../../../../core/git/index.ts'
import type { Pull } from '../../pulls/records/pull.store.ts'
import type { CommentPosition } from '../records/records.store.ts'
import { currentSpan, findSpan } from '../reviews/post-review.ts'

/** The position of a review comment at another service, which may be wrong. */
export interface ClaimedPlace extends Pick<CommentPosition, 'path' | 'side' | 'line' | 'startLine' | 'diffHunk'> {
  /** The commit of the comment: the one that it was written on, or the one that last changed the line. */
  readonly commitOid: string
  readonly isOutdated: boolean
}

export type LocatedPlace = Pick<
  CommentPosition,
  'baseOid' | 'commitOid' | 'diffHunk' | 'isOutdated' | 'line' | 'lineCommitOid' | 'path' | 'side' | 'startLine'
>

interface ClaimedReview {
  /** Undefined unless the repository has the commit. */
  readonly commitOid: string | undefined
  readonly positions: readonly ClaimedPlace[]
}

/**
 * Finds the positions of comments of an imported review. Those of an open pull request move with their lines to the
 * present head, as pushes move them; comments on files or commits that the repository does not have are outdated. Runs
 * git for comments of former heads, and for each comment without a hunk.
 */
export async function locateImports(git: GitRepo, pull: Pull, review: ClaimedReview): Promise<LocatedPlace[]> {
  const located: LocatedPlace[] = []
  const lookups = new Map<string, PathLookup>()
  for (const position of review.positions) {
    const head = await commitOf(git, position, review)
    const span = head === undefined ? undefined : await findSpan(git, pull, head)
    const isThere = span !== undefined && (await hasPath(git, lookups, span, position.path))
    located.push(await locate(git, pull, { position, span: span ?? currentSpan(pull), isThere }))
  }
  return located
}

/**
 * The commit that the line numbers refer to. NOTE: some services name the commit that last changed the line, which the
 * reviewed commit contains; others the newest commit with the line, which contains the reviewed one.
 */
async function commitOf(
  git: GitRepo,
  { commitOid }: ClaimedPlace,
  { commitOid: reviewed }: ClaimedReview,
): Promise<string | undefined> {
  const own = await findCommit(git, commitOid)
  if (own === undefined || reviewed === undefined) return own ?? reviewed
  return (await git.history.isAncestor(own, reviewed)) ? reviewed : own
}

/** The id if the repository has a commit with it. */
export async function findCommit(git: GitRepo, oid: string): Promise<string | undefined> {
  return isOid(oid, git.objectFormat) && (await git.objects.findInfo(oid))?.type === 'commit' ? oid : undefined
}

/** A comment names the file as in the head, or as in the merge base if the head lacks it. */
async function hasPath(
  git: GitRepo,
  lookups: Map<string, PathLookup>,
  { base, head }: DiffSpan,
  path: string,
): Promise<boolean> {
  for (const oid of [head, base]) {
    const lookup =
      lookups.get(oid) ?? createPathLookup((tree) => git.objects.tree(tree), (await git.objects.commit(oid)).tree)
    lookups.set(oid, lookup)
    if ((await lookup(path)) !== undefined) return true
  }
  return false
}

interface Found {
  readonly position: ClaimedPlace
  readonly span: DiffSpan
  /** The span is that of the comment and has the file. */
  readonly isThere: boolean
}

async function locate(git: GitRepo, pull: Pull, { position, span, isThere }: Found): Promise<LocatedPlace> {
  const { path, side, line, startLine, diffHunk, commitOid } = position
  const lineCommitOid = isOid(commitOid, git.objectFormat) ? commitOid : span.head
  const hunk = diffHunk === '' && isThere ? await git.diffLines.excerpt(span, { path, side, line }) : diffHunk
  const common = { side, diffHunk: hunk, lineCommitOid }
  const own = { ...common, path, line, startLine, commitOid: span.head, baseOid: span.base }
  const current = currentSpan(pull)
  if (!isThere || position.isOutdated) return { ...own, isOutdated: true }
  if (pull.isClosed || (span.head === current.head && span.base === current.base)) return { ...own, isOutdated: false }
  const [moved] = await git.diffLines.follow(span, current, [{ path, side, first: startLine, last: line }])
  return moved === undefined
    ? { ...own, isOutdated: true }
    : {
        ...common,
        path: moved.path,
        line: moved.last,
        startLine: moved.first,
        commitOid: current.head,
        baseOid: current.base,
        isOutdated: false,
      }
}
