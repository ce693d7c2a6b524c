import type { Database } from '../../db/database.ts'
import type { Events } from '../../events/index.ts'
import type { Git } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Attachments } from '../attachments/index.ts'
import type { TextReferences } from '../references/index.ts'

export interface ReviewDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly git: Git
  readonly log: Logger
  readonly attachments: Pick<Attachments, 'deleteOf'>
  readonly texts: TextReferences
}
