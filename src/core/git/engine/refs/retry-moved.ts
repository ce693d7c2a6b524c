import { RefConflictError } from '../../errors.ts'

/**
 * Runs `task` again, up to `attempts` times in all, while a ref that it compared moves under it: each run decides by the
 * refs as they are then. Throws what the last one threw.
 */
export async function retryMoved<T>(attempts: number, task: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await task()
    } catch (error) {
      if (!(error instanceof RefConflictError) || attempt === attempts) throw error
    }
  }
}
