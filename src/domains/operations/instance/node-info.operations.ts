import { ok } from '../../../core/http/answer/answer.ts'
import { anyone } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { SERVER_VERSION } from '../../../core/platform/version.ts'
import type { Fediverse } from './fediverse.service.ts'
import { NodeInfo } from './instance.model.ts'

interface NodeInfoOperationDeps {
  readonly fediverse: Fediverse
  readonly site: Site
}

/** What the server is and how it is used (behaviour/users-and-admin#miscellaneous-endpoints). */
export function nodeInfoOperations({ fediverse, site }: NodeInfoOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'getNodeInfo',
      method: 'GET',
      path: '/nodeinfo',
      area: 'miscellaneous',
      summary: 'What the server is and how it is used, where federation is on',
      guard: anyone,
      responses: { 200: NodeInfo },
      errors: [404],
      async handler() {
        const { users, activeMonth, activeHalfyear, posts, comments } = await fediverse.usage()
        return ok({
          version: '2.1',
          software: { name: 'ingot', version: SERVER_VERSION, repository: '', homepage: site.rootUrl() },
          protocols: ['activitypub'],
          services: { inbound: [], outbound: ['rss2.0'] },
          // Accounts are made by administrators.
          openRegistrations: false,
          usage: { users: { total: users, activeMonth, activeHalfyear }, localPosts: posts, localComments: comments },
          metadata: {},
        } satisfies NodeInfo)
      },
    }),
  ]
}
