/** The states of runs, jobs, tasks and steps. */
export const RUN_STATUSES = ['waiting', 'blocked', 'running', 'success', 'failure', 'cancelled', 'skipped'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

const DONE: ReadonlySet<RunStatus> = new Set(['success', 'failure', 'cancelled', 'skipped'])

export const isDone = (status: RunStatus): boolean => DONE.has(status)

const IN_PROGRESS: Readonly<Partial<Record<RunStatus, string>>> = {
  waiting: 'queued',
  blocked: 'waiting',
  running: 'in_progress',
}

/** The status in the form of the API; the conclusion is present only when it is final. */
export const presentStatus = (status: RunStatus): { readonly status: string; readonly conclusion?: string } =>
  isDone(status) ? { status: 'completed', conclusion: status } : { status: IN_PROGRESS[status]! }

/** Values of `status` in queries (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
const WORDS: ReadonlyMap<string, readonly RunStatus[]> = new Map([
  ['queued', ['waiting']],
  ['pending', ['blocked']],
  ['waiting', ['blocked']],
  ['requested', ['blocked']],
  ['action_required', ['blocked']],
  ['in_progress', ['running']],
  ['success', ['success']],
  ['failure', ['failure']],
  ['cancelled', ['cancelled']],
  ['timed_out', ['cancelled']],
  ['skipped', ['skipped']],
  ['neutral', ['skipped']],
  ['completed', ['success', 'failure', 'cancelled', 'skipped']],
])

/** The statuses for these words, or the first unknown word; ignores empty words. */
export function readStatuses(words: readonly string[]): { statuses: readonly RunStatus[] } | { unknown: string } {
  const wanted = words.filter((word) => word !== '')
  const unknown = wanted.find((word) => !WORDS.has(word))
  if (unknown !== undefined) return { unknown }
  return { statuses: [...new Set(wanted.flatMap((word) => WORDS.get(word)!))] }
}

const FIRST_PRESENT: readonly RunStatus[] = ['running', 'waiting', 'blocked', 'cancelled', 'failure']

/** The status of a run, aggregated from its jobs; it is final when all of them are. */
export function aggregateStatus(jobs: readonly RunStatus[]): RunStatus {
  if (jobs.every((status) => status === 'skipped')) return 'skipped'
  return FIRST_PRESENT.find((status) => jobs.includes(status)) ?? 'success'
}
