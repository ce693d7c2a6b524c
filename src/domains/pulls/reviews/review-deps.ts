import type { Core } from '../../../core/module.ts'
import type { Attachments } from '../../repositories/index.ts'
import type { TextReferences } from '../../issues/index.ts'

export interface ReviewDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'git' | 'log'> {
  readonly attachments: Pick<Attachments, 'deleteOf'>
  readonly texts: TextReferences
}
