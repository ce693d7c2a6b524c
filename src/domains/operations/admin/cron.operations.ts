import type { Core } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import { listed, noContent } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import { pageOf } from '../../../core/platform/paging.ts'
import { Cron } from './admin.model.ts'

const timeOrZero = (at: number): string => (at === 0 ? ZERO_TIME : wireTime(at))

type CronOperationDeps = Pick<Core, 'clock' | 'events' | 'schedule'>

/** The scheduled tasks of the server (behaviour/users-and-admin#other-administration). */
export function cronOperations({ clock, events, schedule }: CronOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'adminCronList',
      method: 'GET',
      path: '/admin/cron',
      area: 'admin',
      summary: 'List scheduled tasks',
      scopes: ['admin'],
      guard: siteAdmin,
      query: pagingQuery,
      responses: { 200: Type.Array(Cron) },
      errors: [403],
      async handler({ paging }) {
        const page = pageOf(await schedule.list(), paging)
        const items = page.items.map((task) => ({
          name: task.name,
          schedule: task.schedule,
          next: timeOrZero(task.nextRunAt),
          prev: timeOrZero(task.lastRunAt),
          exec_times: task.runsCount,
        }))
        return listed(page, items)
      },
    }),
    defineOperation({
      id: 'adminCronRun',
      method: 'POST',
      path: '/admin/cron/{task}',
      area: 'admin',
      summary: 'Run a scheduled task now',
      scopes: ['admin'],
      guard: siteAdmin,
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access: actor, params: { task } }) {
        await schedule.run(task, (tx) =>
          events.append(tx, 'admin.task_run', { actor, repoId: 0, at: clock.now() }, { task }),
        )
        return noContent()
      },
    }),
  ]
}
