import { Type } from '@sinclair/typebox'
import { listed, noContent, ok, created } from '../../../../../core/http/answer/answer.ts'
import { requireUser, siteAdmin } from '../../../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../../core/http/operation.ts'
import type { Deliveries } from './deliveries.service.ts'
import { HookDelivery, HookQueue, RequeuedDeliveries, HookDeliveryDetails } from '../../hook.model.ts'
import { presentDelivery, presentQueue, presentDeliveryDetails } from '../../hook.present.ts'
import type { OwnerKind } from '../../hook-owner-kind.ts'

/** The queue of all webhooks, for administrators (behaviour/orgs-webhooks-actions#history-of-deliveries). */
export function deadDeliveryOperations(deliveries: Deliveries): Operation[] {
  const common = { area: 'admin', scopes: ['admin'], guard: siteAdmin } as const
  return [
    defineOperation({
      ...common,
      id: 'adminGetHookQueue',
      method: 'GET',
      path: '/admin/hook-deliveries/queue',
      summary: 'Get the numbers of waiting and failed deliveries of webhooks, and since when they wait',
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

/**
 * The delivery history of a webhook, for accounts that may edit it
 * (behaviour/orgs-webhooks-actions#history-of-deliveries).
 */
export function deliveryOperations<Access>(
  deliveries: Deliveries,
  { root, area, guard, owner, ids }: OwnerKind<Access>,
): Operation[] {
  const common = { area, scopes: [area], guard, errors: [403, 404] } as const
  return [
    defineOperation({
      ...common,
      id: ids.listDeliveries,
      method: 'GET',
      path: `${root}/{id:int}/deliveries`,
      summary: 'List the deliveries of a webhook, the latest first',
      query: pagingQuery,
      responses: { 200: Type.Array(HookDelivery) },
      async handler({ access, params, paging }) {
        const page = await deliveries.list(owner(access), params.id, paging)
        return listed(page, page.items.map(presentDelivery))
      },
    }),
    defineOperation({
      ...common,
      id: ids.getDelivery,
      method: 'GET',
      path: `${root}/{id:int}/deliveries/{uuid}`,
      summary: 'Get a delivery with its last request and answer',
      responses: { 200: HookDeliveryDetails },
      handler: async ({ access, params }) =>
        ok(presentDeliveryDetails(await deliveries.get(owner(access), params.id, params.uuid))),
    }),
    defineOperation({
      ...common,
      id: ids.redeliver,
      method: 'POST',
      path: `${root}/{id:int}/deliveries/{uuid}/redeliver`,
      summary: 'Send a delivery again, as a new one with the same payload',
      responses: { 201: HookDeliveryDetails },
      errors: [403, 404, 422],
      async handler({ viewer, access, params: { id, uuid } }) {
        const again = await deliveries.redeliver(requireUser(viewer), owner(access), { hookId: id, uuid })
        return created(presentDeliveryDetails(again))
      },
    }),
  ]
}
