import type { ImportDeps } from './new-import.ts'
import type { ImportPhase } from './phase.ts'
import { clearPhase } from './phases/clear.phase.ts'
import { commentsPhase } from './phases/comments.phase.ts'
import { countsPhase } from './phases/counts.phase.ts'
import { dependenciesPhase } from './phases/dependencies.phase.ts'
import { eventsPhase } from './phases/events.phase.ts'
import { factsPhase } from './phases/facts.phase.ts'
import { issuesPhase } from './phases/issues.phase.ts'
import { labelsPhase } from './phases/labels.phase.ts'
import { milestonesPhase } from './phases/milestones.phase.ts'
import { protectionsPhase } from './phases/protections.phase.ts'
import { pullsPhase } from './phases/pulls.phase.ts'
import { releasesPhase } from './phases/releases.phase.ts'
import { reviewsPhase } from './phases/reviews.phase.ts'
import { timesPhase } from './phases/times.phase.ts'

/** The phases of an import, in the order in which they run. A new phase is added here. */
export const importPhases = (deps: ImportDeps): readonly ImportPhase[] => [
  factsPhase(deps),
  labelsPhase(deps),
  milestonesPhase(deps),
  ...itemPhases(deps),
  protectionsPhase(deps),
  countsPhase(deps),
]

/** The phases that update the copy of an earlier import. */
export const changePhases = (deps: ImportDeps): readonly ImportPhase[] => [
  clearPhase(deps),
  ...itemPhases(deps),
  countsPhase(deps),
]

const itemPhases = (deps: ImportDeps): readonly ImportPhase[] => [
  releasesPhase(deps),
  issuesPhase(deps),
  pullsPhase(deps),
  commentsPhase(deps),
  reviewsPhase(deps),
  eventsPhase(deps),
  timesPhase(deps),
  dependenciesPhase(deps),
]
