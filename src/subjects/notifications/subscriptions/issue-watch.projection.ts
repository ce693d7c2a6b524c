import { lostAccessProjections } from '../../collaborators/index.ts'
import { deleteIssueWatches, listReposOfIssueWatches, listTeamIssueWatchers } from './issue-watch.store.ts'

/** Whoever may no longer see a repository is no longer subscribed to its issues. */
export const issueWatchProjections = lostAccessProjections({
  listRepos: listReposOfIssueWatches,
  listTeamUsers: listTeamIssueWatchers,
  deleteRecords: deleteIssueWatches,
})
