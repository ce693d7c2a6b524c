import type { SignedIn, Viewer } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import { requireLocked } from '../changes/edit-issue.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { addEntries, type IssueChange } from '../changes/issue-change.ts'
import { type Issue, listIssuesByIds, updateIssue } from '../records/issue.store.ts'
import { type IssueInView, type IssueView, loadIssueViews } from '../views.ts'
import { listPinnedIds, lockPins, shiftPins } from './pin.store.ts'

export type Pins = ReturnType<typeof createPins>

/** Pinned issues of repositories, with positions from 1 without gaps (behaviour/issues#pins). */
export function createPins(deps: IssueDeps & { readonly limit: number }) {
  const { read } = deps.database
  const hasRoom = async (repo: Repo, isPull: boolean): Promise<boolean> =>
    (await listPinnedIds(read, { repoId: repo.id, isPull })).length < deps.limit
  return {
    /** Issues, without pull requests, by position. */
    async list(viewer: Viewer, repo: Repo): Promise<IssueView[]> {
      const ids = await listPinnedIds(read, { repoId: repo.id, isPull: false })
      return loadIssueViews(read, await listIssuesByIds(read, ids), new Map([[repo.id, repo]]), { viewer })
    },
    /** Whether another one can be pinned. */
    mayPin: async (repo: Repo): Promise<{ readonly issues: boolean; readonly pulls: boolean }> => ({
      issues: await hasRoom(repo, false),
      pulls: await hasRoom(repo, true),
    }),
    /** Pins it after the others; does nothing if it is pinned. Throws BadRequest at the limit. */
    pin: (actor: SignedIn, target: IssueInView): Promise<void> =>
      changePins(deps, actor, target, async (change) => {
        const { tx, issue, at } = change
        if (issue.pinOrder > 0) return
        const { length } = await listPinnedIds(tx, issue)
        if (length >= deps.limit) throw badRequest('the max number of pinned issues has been readched')
        await updateIssue(tx, issue.id, { pin_order: length + 1, updated_at: at })
        await addEntries(change, { kind: 'pin' })
      }),
    /** Does nothing if it is not pinned. */
    unpin: (actor: SignedIn, target: IssueInView): Promise<void> =>
      changePins(deps, actor, target, async (change) => {
        const { tx, issue, at } = change
        if (issue.pinOrder === 0) return
        await closeGap(tx, issue)
        await updateIssue(tx, issue.id, { pin_order: 0, updated_at: at })
        await addEntries(change, { kind: 'unpin' })
      }),
    /**
     * Moves a pinned issue; a position after the last one means the last. Throws BadRequest for a position before the
     * first.
     */
    move: (actor: SignedIn, target: IssueInView, position: number): Promise<void> => {
      if (position < 1) throw badRequest('the position of a pinned issue is at least 1')
      return changePins(deps, actor, target, async ({ tx, issue }) => {
        const from = issue.pinOrder
        if (from === 0) return
        const to = Math.min(position, (await listPinnedIds(tx, issue)).length)
        if (to < from) await shiftPins(tx, issue, { first: to, last: from - 1, change: 1 })
        if (to > from) await shiftPins(tx, issue, { first: from + 1, last: to, change: -1 })
        await updateIssue(tx, issue.id, { pin_order: to })
      })
    },
  }
}

/** Closes the gap of a deleted or transferred issue. The caller changes or deletes its row. */
export async function closePinGap(tx: Tx, issue: Issue): Promise<void> {
  if (issue.pinOrder === 0) return
  await lockPins(tx, issue)
  await closeGap(tx, issue)
}

const closeGap = (tx: Tx, issue: Issue): Promise<void> =>
  shiftPins(tx, issue, { first: issue.pinOrder + 1, last: Number.MAX_SAFE_INTEGER, change: -1 })

const changePins = (
  { database, clock, events }: IssueDeps,
  actor: SignedIn,
  { repo, issue: seen }: IssueInView,
  work: (change: IssueChange) => Promise<void>,
): Promise<void> =>
  database.transaction(async (tx) => {
    await lockPins(tx, seen)
    const issue = await requireLocked(tx, seen.id)
    await work({ tx, events, actor, repo, issue, at: clock.now() })
  })
