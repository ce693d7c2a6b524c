import type { Services } from '../../../core/module.ts'
import type { GitRepo } from '../../../core/git/index.ts'
import { lfsServerOf } from '../../code/index.ts'
import type { GitLocation } from './fetch-git.ts'
import type { ImportBudget } from './import-budget.ts'
import type { LargeFileServices } from './new-import.ts'

type LargeFileHold = ReturnType<Services['lfsObjects']['hold']>

interface LargeFiles {
  readonly location: GitLocation
  /** Empty: derived from the location. */
  readonly endpoint: string
  readonly repo: GitRepo
  readonly budget: ImportBudget
  readonly hold: LargeFileHold
  readonly signal: AbortSignal
}

/** Fetches all large files that the history refers to into the hold. */
export async function fetchLargeFiles(
  { lfsTransfers }: LargeFileServices,
  { location, endpoint, repo, budget, hold, signal }: LargeFiles,
): Promise<void> {
  const server = lfsServerOf({ ...location, endpoint })!
  await lfsTransfers.fetchAll(server, repo, { hold, maxBytes: budget.remainingBytes(), signal })
  budget.countBytes(hold.size)
}
