import type { Db } from '../../../../core/db/database.ts'
import { type Issue, type TimelineEntry, listEntriesByIds } from '../../../issues/index.ts'
import type { Repo } from '../../../repositories/index.ts'
import { type User, listUsersByIds } from '../../../accounts/index.ts'
import type { CommentPlace } from '../records/review-comment.store.ts'

/** Everything that the wire model of a comment of a review contains. */
export interface ReviewCommentView {
  readonly entry: TimelineEntry
  readonly place: CommentPlace
  readonly issue: Issue
  readonly repo: Repo
  /** Undefined when the account was deleted. */
  readonly poster: User | undefined
  readonly resolver: User | undefined
}

/** Views of comments of one pull request in the order given, with two queries. */
export async function loadReviewCommentViews(
  db: Db,
  { repo, issue }: { readonly repo: Repo; readonly issue: Issue },
  places: readonly CommentPlace[],
): Promise<ReviewCommentView[]> {
  const entries = await listEntriesByIds(
    db,
    places.map((place) => place.entryId),
  )
  const users = await listUsersByIds(db, [
    ...entries.map((entry) => entry.actorId),
    ...places.flatMap((place) => place.resolverId ?? []),
  ])
  const entryOf = new Map(entries.map((entry) => [entry.id, entry]))
  const userOf = new Map(users.map((user) => [user.id, user]))
  return places.flatMap((place): ReviewCommentView[] => {
    const entry = entryOf.get(place.entryId)
    if (entry === undefined) return []
    const resolver = place.resolverId && userOf.get(place.resolverId)
    return [{ entry, place, issue, repo, poster: userOf.get(entry.actorId), resolver }]
  })
}
