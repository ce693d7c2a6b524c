import type { Runner } from './runner.store.ts'

const ONLINE_MS = 60_000
const BUSY_MS = 10_000

/**
 * The state of a runner: whether it is sending requests, and whether they are about a task (behaviour/actions#runners).
 */
export function decideRunnerState(
  { onlineAt, activeAt }: Pick<Runner, 'onlineAt' | 'activeAt'>,
  now: number,
): { readonly isOnline: boolean; readonly isBusy: boolean } {
  return { isOnline: now - onlineAt < ONLINE_MS, isBusy: now - activeAt < BUSY_MS }
}
