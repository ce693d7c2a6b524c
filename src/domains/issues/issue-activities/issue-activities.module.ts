import { defineModule } from '../../../core/module.ts'
import { issueActivityProjections } from './issue-activity.projection.ts'
import { loadFeedComments } from './load-feed-comments.ts'

/** Entries of activity feeds for what is done to issues and pull requests. */
export const module = defineModule({
  name: 'issue-activities',
  needs: ['activityComments'],
  create({ database, site }, { activityComments }) {
    activityComments.register((places) => loadFeedComments(database.read, site, places))
    return { projections: issueActivityProjections }
  },
})
