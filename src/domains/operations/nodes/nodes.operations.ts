import { Type } from '@sinclair/typebox'
import { listed } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { AdminNode } from './node.model.ts'
import { presentNode } from './node.present.ts'
import type { Nodes } from './nodes.service.ts'

/** The servers that use the database (docs/operate/scaling.md#nodes): an extension of the API. */
export function nodesOperations(nodes: Nodes): Operation[] {
  return [
    defineOperation({
      id: 'adminListNodes',
      method: 'GET',
      path: '/admin/nodes',
      area: 'admin',
      summary: 'List the servers that use the database',
      scopes: ['admin'],
      guard: siteAdmin,
      query: pagingQuery,
      responses: { 200: Type.Array(AdminNode) },
      errors: [403],
      async handler({ paging }) {
        const page = await nodes.list(paging)
        return listed(page, page.items.map(presentNode))
      },
    }),
  ]
}
