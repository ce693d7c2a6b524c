import { Type } from '@sinclair/typebox'
import { created, listed, ok } from '../../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../../core/http/operation.ts'
import type { OwnerKind } from '../../hook-owner-kind.ts'
import type { Deliveries } from './deliveries.service.ts'
import { HookDelivery, HookDeliveryDetails } from '../../hook.model.ts'
import { presentDelivery, presentDeliveryDetails } from '../../hook.present.ts'

/** The history of a webhook, for who may edit it (behaviour/orgs-webhooks-actions#history-of-deliveries). */
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
      summary: 'A delivery with what was sent and what was answered last',
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
