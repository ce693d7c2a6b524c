import type { AppendedEvent } from '../../../../core/events/index.ts'
import { isDraftTitle } from '../../../pulls/index.ts'

/** Whether an edit marked a draft pull request as ready (behaviour/issues#notifications). */
export type IsMarkedReady = (edit: AppendedEvent<'issue.edited'>) => boolean

export const createIsMarkedReady =
  (prefixes: readonly string[]): IsMarkedReady =>
  ({ payload: { is_pull: isPull, old_title: oldTitle }, entities: { issue } }) =>
    isPull && oldTitle !== undefined && isDraftTitle(oldTitle, prefixes) && !isDraftTitle(issue.title, prefixes)
