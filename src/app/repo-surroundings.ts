import type { Database } from '../db/database.ts'
import { createCollaboration, type Collaboration } from '../domain/collaboration/index.ts'
import { createActivities, createBlocks, createSocial, createTopics, type Activities, type Blocks, type Social, type Topics } from '../domain/social/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface RepoSurroundings {
  readonly activities: Activities
  readonly blocks: Blocks
  readonly collaboration: Collaboration
  readonly social: Social
  readonly topics: Topics
}

/** The services of what hangs around a repository. */
export function createRepoSurroundings(deps: { database: Database; clock: Clock }): RepoSurroundings {
  return { activities: createActivities(deps), blocks: createBlocks(deps), collaboration: createCollaboration(deps), social: createSocial(deps), topics: createTopics(deps) }
}
