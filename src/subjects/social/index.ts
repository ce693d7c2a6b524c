export { deleteHiddenWatches } from './watches/hidden-watches.ts'
export { listTeamWatchers, watchNewRepo, watchRepoByTeams } from './watches/team-watch.store.ts'
export { WatchInfo } from './watches/watch-info.model.ts'
export { deleteWatch, findWatchMode, putWatch } from './watches/watch.store.ts'
