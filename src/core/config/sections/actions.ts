import { Type } from '@sinclair/typebox'

const duration = (initial: string, description: string) => Type.String({ default: initial, description })

export const actionsSection = Type.Object(
  {
    default_actions_url: Type.String({
      default: 'github',
      description: 'Where jobs get actions that are named without a server: github, self or the address of a server.',
    }),
    zombie_task_timeout: duration('10m', 'A job fails when its runner has not reported for this long; at least 1m.'),
    endless_task_timeout: duration('3h', 'A job fails when it has run for this long.'),
    abandoned_job_timeout: duration('24h', 'A job is cancelled when no runner has taken it for this long.'),
    max_running_jobs_per_owner: Type.Integer({
      default: 0,
      minimum: 0,
      description:
        'Jobs that run at a time in all repositories of one user or organization; others wait. 0 is no limit.',
    }),
    log_retention_days: Type.Integer({
      default: 365,
      minimum: 1,
      description: 'Days until the log of a job is deleted.',
    }),
    artifact_retention_days: Type.Integer({
      default: 90,
      minimum: 1,
      description: 'Days until the artifacts of jobs are deleted, unless a job sets fewer.',
    }),
    cache_size: Type.Integer({
      default: 10 * 1024 ** 3,
      minimum: 1,
      description: 'Bytes of the caches of one repository; the least recently used ones are deleted beyond.',
    }),
    cache_retention_days: Type.Integer({
      default: 7,
      minimum: 1,
      description: 'Days until a cache that no job has used is deleted.',
    }),
  },
  { additionalProperties: false, description: 'Workflow jobs, their logs and artifacts.' },
)
