import { defineModule } from '../../../core/module.ts'
import { issueActivityProjections } from './issue-activity.projection.ts'
import type { Db } from '../../../core/db/database.ts'
import type { Site } from '../../../core/platform/site.ts'
import { loadCommentsByIds } from '../issues/comments/comment-views.ts'
import { presentComment } from '../issues/issues.present.ts'
import type { CommentLocation } from '../../repositories/index.ts'

/** Entries of activity feeds for changes of issues and pull requests. */
export const module = defineModule({
  name: 'issue-activities',
  needs: ['activityComments'],
  create({ database, site }, { activityComments }) {
    activityComments.register((locations) => loadFeedComments(database.read, site, locations))
    return { projections: issueActivityProjections }
  },
})

/** The comments of activities, as feeds contain them; see `ActivityComments`. */
async function loadFeedComments(
  db: Db,
  site: Site,
  locations: readonly CommentLocation[],
): Promise<Map<number, ReturnType<typeof presentComment>>> {
  const repoOf = new Map(locations.map(({ commentId, repoId }) => [commentId, repoId]))
  const views = await loadCommentsByIds(db, [...repoOf.keys()])
  const own = views.filter(({ comment, repo }) => repoOf.get(comment.id) === repo.id)
  return new Map(own.map((view) => [view.comment.id, presentComment(view, site)]))
}
