import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { type Collaboration, createCollaboration } from '../subjects/collaborators/collaboration.service.ts'
import { createLabels, type Labels } from '../subjects/labels/labels.service.ts'
import { type BranchProtections, createBranchProtections } from '../subjects/protections/branch-protections.service.ts'
import { createTagProtections, type TagProtections } from '../subjects/protections/tag-protections.service.ts'
import { type Activities, createActivities } from '../subjects/social/activities.service.ts'
import { createSocial, type Social } from '../subjects/social/social.service.ts'
import { createTopics, type Topics } from '../subjects/topics/topics.service.ts'
import { type Blocks, createBlocks } from '../subjects/users/blocks.service.ts'

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
