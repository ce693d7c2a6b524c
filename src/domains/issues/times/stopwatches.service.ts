import type { Core } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import { conflict } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { type Issue, findIssueById, lockIssue } from '../issues/records/issue.store.ts'
import type { IssueInView } from '../issues/views.ts'
import { recordEntries } from '../issues/timeline/record-entries.ts'
import { requireLocked } from '../issues/changes/edit-issue.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import { userQueries } from '../../accounts/index.ts'
import {
  deleteStopwatch,
  findReadableStopwatch,
  findStopwatch,
  insertStopwatch,
  type Stopwatch,
  insertTime,
} from './times.store.ts'
import { durationText } from './tracking.policy.ts'

/** A stopwatch with its elapsed time. */
export interface RunningStopwatch {
  readonly startedAt: number
  readonly seconds: number
  readonly issue: Issue
  readonly repo: Repo
}

type StopwatchDeps = Pick<Core, 'database' | 'clock'>

export type Stopwatches = ReturnType<typeof createStopwatches>

/** Stopwatches: at most one per user (behaviour/issues#stopwatches-and-tracked-times). Callers check permissions. */
export function createStopwatches({ database, clock }: StopwatchDeps) {
  const { read } = database
  return {
    /** The user's stopwatch if it runs on a readable issue. */
    async list(actor: SignedIn): Promise<RunningStopwatch[]> {
      const stopwatch = await findReadableStopwatch(read, actor, actor.account.id)
      const issue = stopwatch && (await findIssueById(read, stopwatch.issueId))
      const repo = issue && (await repoQueries.findById(read, issue.repoId))
      return stopwatch && issue && repo ? [running(stopwatch, { issue, repo }, clock.now())] : []
    },
    /** Stops the user's other stopwatch and records its time. Throws Conflict when one already runs on the issue. */
    start: ({ account: { id: userId } }: SignedIn, { repo, issue }: IssueInView): Promise<RunningStopwatch> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        await userQueries.lock(tx, [userId])
        const other = await findStopwatch(tx, userId)
        if (other?.issueId === issue.id) throw errors.stopwatchRunning()
        if (other !== undefined) await stopOn(tx, { userId, issue: await lockIssue(tx, other.issueId), at })
        await requireLocked(tx, issue.id)
        const stopwatch = { userId, issueId: issue.id, startedAt: at }
        await insertStopwatch(tx, stopwatch)
        await recordEntries(tx, { issue, actorId: userId, at }, { kind: 'start_tracking' })
        return running(stopwatch, { issue, repo }, at)
      }),
    /** Records the time. Throws Conflict when none runs on the issue. */
    stop: ({ account: { id: userId } }: SignedIn, { repo, issue }: IssueInView): Promise<RunningStopwatch> =>
      database.transaction(async (tx) => {
        const at = clock.now()
        await requireLocked(tx, issue.id)
        const stopwatch = await stopOn(tx, { userId, issue, at })
        if (stopwatch === undefined) throw conflict('cannot stop a non-existent stopwatch')
        return running(stopwatch, { issue, repo }, at)
      }),
    /** Discards the time. Throws Conflict as `stop`. */
    cancel: ({ account: { id: userId } }: SignedIn, { issue }: IssueInView): Promise<void> =>
      database.transaction(async (tx) => {
        await requireLocked(tx, issue.id)
        if ((await deleteStopwatch(tx, userId, issue.id)) === undefined)
          throw conflict('cannot cancel a non-existent stopwatch')
        await recordEntries(tx, { issue, actorId: userId, at: clock.now() }, { kind: 'cancel_tracking' })
      }),
  }
}

const elapsed = ({ startedAt }: Stopwatch, at: number): number => Math.max(0, Math.floor((at - startedAt) / 1000))

const running = (
  stopwatch: Stopwatch,
  { issue, repo }: Pick<RunningStopwatch, 'issue' | 'repo'>,
  at: number,
): RunningStopwatch => ({ startedAt: stopwatch.startedAt, seconds: elapsed(stopwatch, at), issue, repo })

interface Stop {
  readonly userId: UserId
  readonly issue: Issue | undefined
  /** Epoch milliseconds. */
  readonly at: number
}

/** Stops the user's stopwatch on the issue, if there is one, and records its time. */
export async function stopOn(tx: Tx, { userId, issue, at }: Stop): Promise<Stopwatch | undefined> {
  const stopwatch = issue && (await deleteStopwatch(tx, userId, issue.id))
  if (issue === undefined || stopwatch === undefined) return undefined
  const seconds = elapsed(stopwatch, at)
  const time = await insertTime(tx, { repoId: issue.repoId, issueId: issue.id, userId, seconds, createdAt: at })
  const entry = { kind: 'stop_tracking', targetId: time.id, body: durationText(seconds) } as const
  await recordEntries(tx, { issue, actorId: userId, at }, entry)
  return stopwatch
}
