import { lostAccessProjections } from '../../../repositories/index.ts'
import { deleteIssueWatches, listReposOfIssueWatches, listTeamIssueWatchers } from './issue-watch.store.ts'

/** Users who may no longer see a repository are no longer subscribed to its issues. */
export const issueWatchProjections = lostAccessProjections({
  listRepos: listReposOfIssueWatches,
  listTeamUsers: listTeamIssueWatchers,
  deleteRecords: deleteIssueWatches,
})
