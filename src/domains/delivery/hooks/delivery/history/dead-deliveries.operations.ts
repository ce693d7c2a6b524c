import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../../../core/http/answer/answer.ts'
import { requireUser, siteAdmin } from '../../../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../../core/http/operation.ts'
import type { Deliveries } from './deliveries.service.ts'
import { HookDelivery, HookQueue, RequeuedDeliveries } from '../../hook.model.ts'
import { presentDelivery, presentQueue } from '../../hook.present.ts'

/** The queue of all webhooks, for administrators (behaviour/orgs-webhooks-actions#history-of-deliveries). */
export function deadDeliveryOperations(deliveries: Deliveries): Operation[] {
  const common = { area: 'admin', scopes: ['admin'], guard: siteAdmin } as const
  return [
    defineOperation({
      ...common,
      id: 'adminGetHookQueue',
      method: 'GET',
      path: '/admin/hook-deliveries/queue',
      summary: 'How many deliveries of webhooks wait, since when, and what fails',
      responses: { 200: HookQueue },
      errors: [403],
      handler: async () => ok(presentQueue(await deliveries.count())),
    }),
    defineOperation({
      ...common,
      id: 'adminListDeadHookDeliveries',
      method: 'GET',
      path: '/admin/hook-deliveries/dead',
      summary: 'List the deliveries of all webhooks that were given up, the latest first',
      query: pagingQuery,
      responses: { 200: Type.Array(HookDelivery) },
      errors: [403],
      async handler({ paging }) {
        const page = await deliveries.listDead(paging)
        return listed(page, page.items.map(presentDelivery))
      },
    }),
    defineOperation({
      ...common,
      id: 'adminRequeueDeadHookDeliveries',
      method: 'POST',
      path: '/admin/hook-deliveries/dead/requeue',
      summary: 'Try all deliveries again that were given up',
      responses: { 200: RequeuedDeliveries },
      errors: [403],
      handler: async ({ viewer }) => ok({ requeued: await deliveries.requeueAll(requireUser(viewer)) }),
    }),
    defineOperation({
      ...common,
      id: 'adminRequeueDeadHookDelivery',
      method: 'POST',
      path: '/admin/hook-deliveries/dead/{uuid}/requeue',
      summary: 'Try a delivery again that was given up',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ viewer, params: { uuid } }) {
        await deliveries.requeue(uuid, requireUser(viewer))
        return noContent()
      },
    }),
  ]
}
