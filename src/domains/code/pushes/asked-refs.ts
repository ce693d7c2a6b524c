import { isGitError } from '../../../core/git/index.ts'
import type { Logger } from '../../../core/platform/logger.ts'

/** Brings the refs of these names up to date in the repository that is stored there; other names are ignored. */
type Make = (storage: string, names: readonly string[]) => Promise<void>

/**
 * Port for modules with refs that are made when a client of protocol v2 asks for them by name: it runs before the refs
 * are listed, so it must be short, and do nothing when they are up to date.
 */
export interface AskedRefs {
  /** While the server is composed. */
  register(make: Make): void
  make: Make
}

export function createAskedRefs(log: Logger): AskedRefs {
  const makers: Make[] = []
  return {
    register: (make) => void makers.push(make),
    async make(storage, names) {
      for (const run of makers) {
        try {
          await run(storage, names)
        } catch (error) {
          if (!isGitError(error)) throw error
          log.warn({ err: error, storage }, 'a ref that a client asked for could not be made')
        }
      }
    },
  }
}
