import type { Config } from '../../../core/config/index.ts'
import { parseDuration } from '../../../core/platform/duration.ts'

/** The settings of jobs, read; times are in milliseconds. */
export interface ActionsSettings {
  /** `github`, `self` or the address of a server. */
  readonly defaultActionsUrl: string
  /** A job fails when its runner has not reported for this long. */
  readonly zombieMs: number
  /** A job fails when it has run for this long. */
  readonly endlessMs: number
  /** A job is cancelled when no runner has taken it for this long. */
  readonly abandonedMs: number
  /** Jobs of one owner that run at a time; 0: any number. */
  readonly maxRunningPerOwner: number
}

const MINUTE_MS = 60_000

/** Throws for a duration that cannot be parsed or is too short, which prevents the start of the server. */
export function readActionsSettings({ actions }: Pick<Config, 'actions'>): ActionsSettings {
  const read = (name: 'zombie_task_timeout' | 'endless_task_timeout' | 'abandoned_job_timeout'): number => {
    const milliseconds = parseDuration(actions[name])
    // NOTE: runners report each few seconds, not each second.
    if (milliseconds === undefined || milliseconds < MINUTE_MS)
      throw new Error(`actions.${name}: "${actions[name]}" is not a duration of at least 1m`)
    return milliseconds
  }
  const url = actions.default_actions_url
  if (url !== 'github' && url !== 'self' && !/^https?:\/\/\S+$/.test(url))
    throw new Error(`actions.default_actions_url: "${url}" must be github, self or the address of a server`)
  return {
    defaultActionsUrl: url,
    zombieMs: read('zombie_task_timeout'),
    endlessMs: read('endless_task_timeout'),
    abandonedMs: read('abandoned_job_timeout'),
    maxRunningPerOwner: actions.max_running_jobs_per_owner,
  }
}
