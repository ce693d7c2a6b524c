import type { ImportDeps } from './new-import.ts'
import type { ImportPhase } from './phase.ts'
import { factsPhase } from './phases/facts.phase.ts'
import { labelsPhase } from './phases/labels.phase.ts'
import { pullsPhase } from './phases/pulls.phase.ts'
import { releasesPhase } from './phases/releases.phase.ts'

/** The phases of an import, in the order in which they run. A new phase is added here. */
export const importPhases = (deps: ImportDeps): readonly ImportPhase[] => [
  factsPhase(deps),
  labelsPhase(deps),
  releasesPhase(deps),
  pullsPhase(deps),
]
