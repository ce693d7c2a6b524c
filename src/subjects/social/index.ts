export { deleteHiddenWatches } from './hidden-watches.ts'
export { watchNewRepo } from './repo-created.projection.ts'
export { listTeamWatchers, watchRepoByTeams } from './team-watch.store.ts'
export { deleteWatch, findWatchMode, putWatch } from './watch.store.ts'
