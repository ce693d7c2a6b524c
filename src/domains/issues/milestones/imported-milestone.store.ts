import type { Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { insertMilestone, type Milestone, NO_DUE_DATE } from './milestone.store.ts'

export type ImportedMilestone = Pick<
  Milestone,
  'title' | 'isClosed' | 'dueAt' | 'createdAt' | 'updatedAt' | 'closedAt'
> & { readonly description: string }

/** Inserts a milestone of an import, with the times of its source. */
export const insertImportedMilestone = (tx: Tx, repoId: RepoId, milestone: ImportedMilestone): Promise<Milestone> =>
  insertMilestone(tx, {
    repo_id: repoId,
    title: milestone.title,
    description: milestone.description,
    is_closed: flag(milestone.isClosed),
    due_at: milestone.dueAt ?? NO_DUE_DATE,
    created_at: milestone.createdAt,
    updated_at: milestone.updatedAt,
    closed_at: milestone.isClosed ? (milestone.closedAt ?? milestone.updatedAt) : 0,
  })
