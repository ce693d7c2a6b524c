export { deleteHiddenWatches } from './watches/hidden-watches.ts'
export { watchNewRepo } from './repo-created.projection.ts'
export { listTeamWatchers, watchRepoByTeams } from './watches/team-watch.store.ts'
export { deleteWatch, findWatchMode, putWatch } from './watches/watch.store.ts'
