import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../../../core/db/database.ts'
import type { Git } from '../../../../core/git/index.ts'
import { findHeadTip } from '../../pulls/heads/find-head-tip.ts'
import { findPull } from '../../pulls/records/pull.store.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { mergeRefused } from '../merge-errors.ts'

interface HeadDeps {
  readonly database: Pick<Database, 'read'>
  readonly git: Git
}

const DEADLINE_MS = 5000
const PAUSE_MS = 20

/**
 * Waits until the pull request has followed its head branch: a push of many is answered before the job that has the last
 * ones follow, and a merge right after it means what was pushed. Throws Invalid when that takes more than 5 s.
 */
export async function awaitHead(deps: HeadDeps, target: PullInView): Promise<void> {
  const until = performance.now() + DEADLINE_MS
  let { pull } = target
  while (!(await isCurrent(deps, { ...target, pull }))) {
    if (performance.now() > until) throw mergeRefused('Please try again later')
    await wait(PAUSE_MS)
    pull = (await findPull(deps.database.read, pull.id)) ?? pull
  }
}

/** Throws Invalid when the head branch has another commit than the pull request. */
export async function requireHead(deps: HeadDeps, target: PullInView): Promise<void> {
  if (!(await isCurrent(deps, target))) throw mergeRefused('Please try again later')
}

/** One that is closed or merged follows its head no more. */
async function isCurrent(deps: HeadDeps, { repo, issue, pull }: PullInView): Promise<boolean> {
  if (pull.isClosed || pull.merge !== undefined) return true
  const tip = await findHeadTip(deps, pull, { repo, number: issue.number })
  return tip === undefined || tip === pull.headOid
}
