import { RefConflictError } from '../../errors.ts'

/**
 * Runs `task` up to `attempts` times while a ref that it compares moves: each run reads the refs again. Throws the last
 * run's error.
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
