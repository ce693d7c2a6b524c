import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import type { FileLines, GitRepo } from '../../../core/git/index.ts'
import { badRequest, conflict, invalid, invalidField, notFound } from '../../../core/platform/errors.ts'
import { type Comment, type Issue, isComment, isHiddenFrom, listEntriesByIds } from '../../issues/index.ts'
import { type CommentPlace, listPlacesByEntries } from '../reviews/records/review-comment.store.ts'
import { findSuggestions, type LineEdit } from './suggestion-blocks.ts'

export interface WantedSuggestion {
  /** Of the comment. */
  readonly id: number
  /** From 1; undefined for the only one. */
  readonly suggestion: number | undefined
}

/** A suggestion of a comment for the head as it is now. */
export interface Suggestion {
  readonly entry: Comment
  readonly path: string
  readonly edit: LineEdit
}

interface Wanted {
  readonly git: GitRepo
  /** Of the head branch. */
  readonly tip: string
  readonly wanted: readonly WantedSuggestion[]
}

/**
 * The suggestions in the order given, their lines as of the tip. Throws NotFound, BadRequest for what is no comment of
 * a review, Conflict for a resolved comment, Invalid for one that is outdated, not submitted, on the old side or
 * without a suggestion. A process for each earlier head that comments belong to, and one for each file that differs.
 */
export async function loadSuggestions(
  read: Db,
  actor: SignedIn,
  issue: Issue,
  { git, tip, wanted }: Wanted,
): Promise<Suggestion[]> {
  const ids = wanted.map(({ id }) => id)
  const entries = new Map((await listEntriesByIds(read, ids)).map((entry) => [entry.id, entry]))
  const places = new Map((await listPlacesByEntries(read, ids)).map((place) => [place.entryId, place]))
  const found = wanted.map((each) => {
    const entry = entries.get(each.id)
    if (entry?.issueId !== issue.id || !isComment(entry) || isHiddenFrom(actor, entry))
      throw notFound(`comment ${each.id} does not exist`)
    const place = places.get(each.id)
    if (place === undefined) throw badRequest(`comment ${each.id} is not a review comment`)
    requireApplicable(entry, place)
    return { entry, place, lines: linesOf(entry, each.suggestion) }
  })
  const moved = await moveToTip(
    git,
    tip,
    found.map(({ place }) => place),
  )
  return found.map(({ entry, place, lines }) => {
    const now = moved.get(place)
    if (now === undefined) throw outdated(entry)
    return { entry, path: now.path, edit: { first: now.first, last: now.last, lines } }
  })
}

const outdated = ({ id }: Comment): Error => invalid(`comment ${id} is outdated`)

function requireApplicable(entry: Comment, { resolverId, isOutdated, side }: CommentPlace): void {
  if (entry.kind === 'pending_code') throw invalid(`comment ${entry.id} is of a review that is not submitted`)
  if (resolverId !== undefined) throw conflict(`comment ${entry.id} is resolved`)
  if (side === 'old') throw invalid(`comment ${entry.id} is on lines of the old file`)
  if (isOutdated) throw outdated(entry)
}

/** The lines that one of the suggestions of the comment puts in the place of others. */
function linesOf({ id, body }: Comment, number: number | undefined): readonly string[] {
  const found = findSuggestions(body)
  if (found.length === 0) throw invalid(`comment ${id} has no suggestion`)
  if (number === undefined && found.length > 1)
    throw invalid(`comment ${id} has ${found.length} suggestions, apply it alone with "suggestion"`)
  const lines = found[(number ?? 1) - 1]
  if (lines === undefined) throw invalidField('Suggestion', `Range (1 to ${found.length})`)
  return lines
}

/** Where the lines are at the tip; none for those that are outdated there. */
async function moveToTip(
  git: GitRepo,
  tip: string,
  places: readonly CommentPlace[],
): Promise<ReadonlyMap<CommentPlace, FileLines>> {
  const moved = new Map<CommentPlace, FileLines>()
  for (const [oid, some] of Map.groupBy(places, ({ commitOid }) => commitOid)) {
    const known = oid === tip || (await git.objects.findInfo(oid)) !== undefined
    const lines = some.map(({ path, startLine, line }) => ({ path, first: startLine, last: line }))
    const now = known ? await git.diffLines.move(oid, tip, lines) : []
    for (const [index, place] of some.entries()) if (now[index]) moved.set(place, now[index])
  }
  return moved
}
