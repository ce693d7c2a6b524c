import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import {
  applyChanges,
  createPathLookup,
  type GitRepo,
  MODE,
  type ObjectWriter,
  type TreeChange,
  type TreeEntry,
  type FileLines,
} from '../../../core/git/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import {
  badRequest,
  conflict,
  engineErrors,
  invalid,
  invalidField,
  notFound,
  tooLarge,
} from '../../../core/platform/errors.ts'
import { type CommitSigner, gitWriter } from '../../repositories/index.ts'
import { commitIdentity, userQueries } from '../../accounts/index.ts'
import { applySuggestions, findSuggestions, type LineEdit } from './suggestion-blocks.ts'
import { type Comment, type Issue, issueRules, timelineQueries } from '../../issues/index.ts'
import { type CommentPosition, listPositionsByEntries } from '../reviews/records/records.store.ts'

export interface WantedSuggestion {
  /** The id of the comment. */
  readonly id: number
  /** The index in the comment, from 1; undefined when there is only one. */
  readonly suggestion: number | undefined
}

/** A suggestion with its lines in the current head. */
export interface Suggestion {
  readonly entry: Comment
  readonly path: string
  readonly edit: LineEdit
}

interface Wanted {
  readonly git: GitRepo
  /** The tip of the head branch. */
  readonly tip: string
  readonly wanted: readonly WantedSuggestion[]
}

/**
 * The suggestions in the given order, with their lines at the tip. Throws NotFound, BadRequest when it is not a review
 * comment, Conflict for a resolved comment, Invalid for one that is outdated, not submitted, on the old side or without
 * a suggestion. Starts a process for each earlier head of a comment, and one for each file that differs.
 */
export async function loadSuggestions(
  read: Db,
  actor: SignedIn,
  issue: Issue,
  { git, tip, wanted }: Wanted,
): Promise<Suggestion[]> {
  const ids = wanted.map(({ id }) => id)
  const entries = new Map((await timelineQueries.listByIds(read, ids)).map((entry) => [entry.id, entry]))
  const positions = new Map((await listPositionsByEntries(read, ids)).map((position) => [position.entryId, position]))
  const found = wanted.map((each) => {
    const entry = entries.get(each.id)
    if (entry?.issueId !== issue.id || !issueRules.isComment(entry) || issueRules.isHiddenFrom(actor, entry))
      throw notFound(`comment ${each.id} does not exist`)
    const position = positions.get(each.id)
    if (position === undefined) throw badRequest(`comment ${each.id} is not a review comment`)
    requireApplicable(entry, position)
    return { entry, position, lines: linesOf(entry, each.suggestion) }
  })
  const moved = await moveToTip(
    git,
    tip,
    found.map(({ position }) => position),
  )
  return found.map(({ entry, position, lines }) => {
    const now = moved.get(position)
    if (now === undefined) throw outdated(entry)
    return { entry, path: now.path, edit: { first: now.first, last: now.last, lines } }
  })
}

const outdated = ({ id }: Comment): Error => invalid(`comment ${id} is outdated`)

function requireApplicable(entry: Comment, { resolverId, isOutdated, side }: CommentPosition): void {
  if (entry.kind === 'pending_code') throw invalid(`comment ${entry.id} is of a review that is not submitted`)
  if (resolverId !== undefined) throw conflict(`comment ${entry.id} is resolved`)
  if (side === 'old') throw invalid(`comment ${entry.id} is on lines of the old file`)
  if (isOutdated) throw outdated(entry)
}

/** The replacement lines of one of the suggestions of the comment. */
function linesOf({ id, body }: Comment, number: number | undefined): readonly string[] {
  const found = findSuggestions(body)
  if (found.length === 0) throw invalid(`comment ${id} has no suggestion`)
  if (number === undefined && found.length > 1)
    throw invalid(`comment ${id} has ${found.length} suggestions, apply it alone with "suggestion"`)
  const lines = found[(number ?? 1) - 1]
  if (lines === undefined) throw invalidField('Suggestion', `Range (1 to ${found.length})`)
  return lines
}

/** Maps the positions to their lines at the tip; outdated ones are absent. */
async function moveToTip(
  git: GitRepo,
  tip: string,
  positions: readonly CommentPosition[],
): Promise<ReadonlyMap<CommentPosition, FileLines>> {
  const moved = new Map<CommentPosition, FileLines>()
  for (const [oid, some] of Map.groupBy(positions, ({ commitOid }) => commitOid)) {
    const known = oid === tip || (await git.objects.findInfo(oid)) !== undefined
    const lines = some.map(({ path, startLine, line }) => ({ path, first: startLine, last: line }))
    const now = known ? await git.diffLines.move(oid, tip, lines) : []
    for (const [index, position] of some.entries()) if (now[index]) moved.set(position, now[index])
  }
  return moved
}

export interface CommitDeps {
  readonly clock: Clock
  readonly signer: CommitSigner | undefined
  readonly noReplyDomain: string
}

interface NewCommit {
  readonly git: GitRepo
  /** The parent of the commit. */
  readonly tip: string
  readonly suggestions: readonly Suggestion[]
  readonly message: string
}

/** The maximum size of the changed files, before and after. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Writes the commit without moving a ref. Returns its id. Throws Invalid when suggestions overlap or change nothing,
 * and for anything but a regular file; TooLarge for files of more than 32 MiB in total.
 */
export async function commitSuggestions(
  deps: CommitDeps & { readonly read: Db },
  actor: SignedIn,
  { git, tip, suggestions, message }: NewCommit,
): Promise<string> {
  const writer = git.writer()
  const { tree: base } = await git.objects.commit(tip)
  const tree = await applyChanges(writer, base, await editFiles(git, writer, { base, suggestions }))
  if (tree === base) throw invalid('the suggestions change nothing')
  const who = await identify(deps, actor, suggestions)
  const text = message.trim() || defaultMessage(suggestions)
  const commit = { tree, parents: [tip], ...who.identities, message: gitWriter.appendTrailers(text, who.trailers) }
  const oid = await gitWriter.writeCommit(writer, commit, deps.signer)
  await writer.flush()
  return oid
}

interface Edits {
  readonly base: string
  readonly suggestions: readonly Suggestion[]
}

async function editFiles(git: GitRepo, writer: ObjectWriter, { base, suggestions }: Edits): Promise<TreeChange[]> {
  const find = createPathLookup((oid) => git.objects.tree(oid), base)
  const changes: TreeChange[] = []
  let size = 0
  for (const [path, some] of Map.groupBy(suggestions, (each) => each.path)) {
    const { oid, mode } = requireFile(path, await find(path))
    const before = await git.objects.blob(oid)
    const after = applySuggestions(
      before,
      some.map(({ edit }) => edit),
    )
    size += before.length + after.length
    if (size > MAX_BYTES) throw tooLarge('the files of the suggestions are larger than 32 MiB in all')
    changes.push({ path, mode, oid: writer.blob(after) })
  }
  return changes
}

function requireFile(path: string, entry: TreeEntry | undefined): TreeEntry {
  if (entry === undefined) throw invalid(`${path} does not exist`)
  if (entry.type !== 'blob' || entry.mode === MODE.symlink) throw invalid(`${path} is no regular file`)
  return entry
}

/** The actor is author and committer; trailers name the authors of the comments whose accounts exist. */
async function identify(
  { read, clock, noReplyDomain }: CommitDeps & { readonly read: Db },
  actor: SignedIn,
  suggestions: readonly Suggestion[],
) {
  const caller = await userQueries.findById(read, actor.account.id)
  if (caller === undefined) throw engineErrors.tokenRequired()
  const others = new Set(suggestions.map(({ entry }) => entry.actorId).filter((id) => id !== caller.id))
  const authors = await userQueries.listByIds(read, [...others])
  const author = { ...commitIdentity(caller, noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
  return {
    identities: { author, committer: author },
    trailers: authors
      .toSorted((a, b) => a.id - b.id)
      .map((user) => commitIdentity(user, noReplyDomain))
      .map(({ name, email }) => `Co-authored-by: ${name.replaceAll(/[<>\p{Cc}]/gu, '')} <${email}>`),
  }
}

function defaultMessage(suggestions: readonly Suggestion[]): string {
  const [path, ...others] = new Set(suggestions.map((suggestion) => suggestion.path))
  const word = suggestions.length === 1 ? 'suggestion' : 'suggestions'
  return `Apply ${word} ${others.length === 0 ? `to ${path!.replaceAll(/\p{Cc}/gu, '?')}` : 'from review'}`
}
