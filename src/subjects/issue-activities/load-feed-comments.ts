import type { Db } from '../../db/database.ts'
import type { Site } from '../../platform/site.ts'
import { loadCommentsByIds, presentComment } from '../issues/index.ts'
import type { CommentPlace } from '../social/index.ts'

/** The comments that activities made, as feeds contain them; see `ActivityComments`. */
export async function loadFeedComments(
  db: Db,
  site: Site,
  places: readonly CommentPlace[],
): Promise<Map<number, ReturnType<typeof presentComment>>> {
  const repoOf = new Map(places.map(({ commentId, repoId }) => [commentId, repoId]))
  const views = await loadCommentsByIds(db, [...repoOf.keys()])
  const own = views.filter(({ comment, repo }) => repoOf.get(comment.id) === repo.id)
  return new Map(own.map((view) => [view.comment.id, presentComment(view, site)]))
}
