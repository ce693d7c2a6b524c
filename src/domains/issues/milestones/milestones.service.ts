import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { invalidField } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import {
  deleteMilestone,
  findMilestoneNamed,
  insertMilestone,
  listMilestones,
  lockMilestone,
  type Milestone,
  type MilestoneFilter,
  NO_DUE_DATE,
  updateMilestone,
} from './milestone.store.ts'

interface NewMilestone {
  /** Trimmed; empty if absent. */
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly isClosed?: boolean | undefined
  /** Epoch milliseconds; the zero time is no due date. */
  readonly dueAt?: number | undefined
}

/** Absent members and an empty title mean no change. */
export type MilestoneChange = NewMilestone

type MilestoneDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type Milestones = ReturnType<typeof createMilestones>

/** Milestones of repositories (behaviour/issues#milestones). */
export function createMilestones({ database, clock, events }: MilestoneDeps) {
  return {
    list: (repoId: RepoId, filter: MilestoneFilter, paging: Paging): Promise<Page<Milestone>> =>
      listMilestones(database.read, repoId, filter, paging),

    /**
     * Finds a milestone by id, then by the exact title. Throws NotFound, also for a milestone of another repository.
     */
    get: async (repoId: RepoId, idOrTitle: string): Promise<Milestone> =>
      requireMilestone(await findMilestoneNamed(database.read, repoId, idOrTitle)),

    /** Titles need not be unique. Throws Invalid for a due date outside the years 1 to 9999. */
    create: (
      actor: Actor,
      repoId: RepoId,
      { title = '', description = '', isClosed = false, dueAt = NO_DUE_DATE }: NewMilestone,
    ): Promise<Milestone> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        const milestone = await insertMilestone(tx, {
          repo_id: repoId,
          title: title.trim(),
          description,
          is_closed: flag(isClosed),
          due_at: requireDueDate(dueAt),
          created_at: at,
          updated_at: at,
          closed_at: isClosed ? at : 0,
        })
        await events.append(tx, 'milestone.created', { actor, repoId, at }, payloadOf(repoId, milestone))
        return milestone
      }),

    /** Throws NotFound as `get`, and Invalid as `create`. */
    edit: (
      actor: Actor,
      repoId: RepoId,
      idOrTitle: string,
      { title = '', description, isClosed, dueAt }: MilestoneChange,
    ): Promise<Milestone> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        const before = await lockNamed(tx, repoId, idOrTitle)
        const milestone = await updateMilestone(tx, before.id, {
          ...(title.trim() !== '' && { title: title.trim() }),
          ...(description !== undefined && { description }),
          ...(isClosed !== undefined && {
            is_closed: flag(isClosed),
            closed_at: isClosed ? (before.closedAt ?? at) : 0,
          }),
          ...(dueAt !== undefined && { due_at: requireDueDate(dueAt) }),
          updated_at: at,
        })
        await events.append(tx, 'milestone.edited', { actor, repoId, at }, payloadOf(repoId, milestone))
        return milestone
      }),

    /** Throws NotFound as `get`. */
    delete: (actor: Actor, repoId: RepoId, idOrTitle: string): Promise<void> =>
      database.transaction(async (tx) => {
        const milestone = await lockNamed(tx, repoId, idOrTitle)
        const origin = { actor, repoId, at: clock.now() }
        await events.append(tx, 'milestone.deleting', origin, payloadOf(repoId, milestone))
        await deleteMilestone(tx, milestone.id)
      }),
  }
}

async function lockNamed(tx: Tx, repoId: RepoId, idOrTitle: string): Promise<Milestone> {
  const { id } = requireMilestone(await findMilestoneNamed(tx, repoId, idOrTitle))
  return requireMilestone(await lockMilestone(tx, repoId, id))
}

function requireMilestone(milestone: Milestone | undefined): Milestone {
  if (milestone === undefined) throw errors.milestoneNotFound()
  return milestone
}

/** The last time that has a four-digit year in the API. */
const LAST_DUE_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

function requireDueDate(time: number): number {
  if (time < NO_DUE_DATE || time > LAST_DUE_DATE) throw invalidField('DueOn', 'Range (years 1 to 9999)')
  return time
}

const payloadOf = (repoId: RepoId, { id, title }: Milestone) => ({ repo_id: repoId, milestone_id: id, title })
