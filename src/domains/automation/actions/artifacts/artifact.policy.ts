import type { Artifact } from './artifact.store.ts'

/** Also between the end of its time and the task that deletes its bytes. */
export const isExpired = (artifact: Pick<Artifact, 'isExpired' | 'expiresAt'>, now: number): boolean =>
  artifact.isExpired || artifact.expiresAt <= now
