export { deleteHiddenWatches } from './watches/hidden-watches.ts'
export { listTeamWatchers, watchNewRepo, watchRepoByTeams } from './watches/team-watch.store.ts'
export { deleteWatch, findWatchMode, putWatch } from './watches/watch.store.ts'
