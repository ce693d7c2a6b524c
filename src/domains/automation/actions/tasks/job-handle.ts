import type { Job } from '../runs/job.store.ts'

interface JobAttempt {
  readonly jobId: number
  readonly attempt: number
}

const HANDLE = /^([0-9a-f]{8})-0000-8000-8000-([0-9a-f]{12})$/

/**
 * The handle of the next attempt of a waiting job, by which a runner asks for exactly this one: both numbers in the
 * form of a UUID (version 8, RFC 9562). It grants no rights.
 */
export const handleOf = ({ id, attempt }: Pick<Job, 'id' | 'attempt'>): string =>
  `${(attempt + 1).toString(16).padStart(8, '0')}-0000-8000-8000-${id.toString(16).padStart(12, '0')}`

/** Undefined for a text that is no handle. */
export function readHandle(text: string): JobAttempt | undefined {
  const [, attempt, id] = HANDLE.exec(text.toLowerCase()) ?? []
  return id === undefined ? undefined : { jobId: Number.parseInt(id, 16), attempt: Number.parseInt(attempt!, 16) }
}
