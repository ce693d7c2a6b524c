import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createCollaboration, type Collaboration } from '../domain/collaboration/index.ts'
import { createLabels, type Labels } from '../domain/labels/index.ts'
import { createBranchProtections, createTagProtections, type BranchProtections, type TagProtections } from '../domain/protections/index.ts'
import { createActivities, createBlocks, createSocial, createTopics, type Activities, type Blocks, type Social, type Topics } from '../domain/social/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface RepoSurroundings {
  readonly activities: Activities
  readonly blocks: Blocks
  readonly branchProtections: BranchProtections
  readonly collaboration: Collaboration
  readonly labels: Labels
  readonly social: Social
  readonly tagProtections: TagProtections
  readonly topics: Topics
}

/** The services of what hangs around a repository. */
export function createRepoSurroundings(deps: { config: Config; database: Database; clock: Clock }): RepoSurroundings {
  return {
    activities: createActivities(deps),
    blocks: createBlocks(deps),
    branchProtections: createBranchProtections(deps),
    collaboration: createCollaboration(deps),
    labels: createLabels(deps),
    social: createSocial({ ...deps, watchOnPush: deps.config.service.auto_watch_on_changes }),
    tagProtections: createTagProtections(deps),
    topics: createTopics(deps),
  }
}
