import type { Artifact } from './artifact.store.ts'

/** True even before the task has deleted the bytes of an expired artifact. */
export const isExpired = (artifact: Pick<Artifact, 'isExpired' | 'expiresAt'>, now: number): boolean =>
  artifact.isExpired || artifact.expiresAt <= now
