import type { Database } from '../../../core/db/database.ts'
import type { Events } from '../../../core/events/index.ts'
import type { Git } from '../../../core/git/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { Attachments } from '../../repositories/index.ts'
import type { TextReferences } from '../../issues/index.ts'

export interface ReviewDeps {
  readonly database: Database
  readonly clock: Clock
  readonly events: Events
  readonly git: Git
  readonly log: Logger
  readonly attachments: Pick<Attachments, 'deleteOf'>
  readonly texts: TextReferences
}
