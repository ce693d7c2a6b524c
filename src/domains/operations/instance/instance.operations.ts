import { ok } from '../../../core/http/answer/answer.ts'
import { anyone } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import { SERVER_VERSION } from '../../../core/platform/version.ts'
import type { Fediverse } from './fediverse.service.ts'
import {
  NodeInfo,
  GeneralAPISettings,
  GeneralAttachmentSettings,
  GeneralRepoSettings,
  GeneralUISettings,
  ServerVersion,
} from './instance.model.ts'

interface NodeInfoOperationDeps {
  readonly fediverse: Fediverse
  readonly site: Site
}

/** NodeInfo: software and usage of the server (behaviour/users-and-admin#miscellaneous-endpoints). */
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
          // Only administrators create accounts.
          openRegistrations: false,
          usage: { users: { total: users, activeMonth, activeHalfyear }, localPosts: posts, localComments: comments },
          metadata: {},
        } satisfies NodeInfo)
      },
    }),
  ]
}

/** The effective settings as clients get them. */
export interface PublicSettings {
  readonly ui: GeneralUISettings
  readonly api: GeneralAPISettings
  readonly attachment: GeneralAttachmentSettings
  readonly repository: GeneralRepoSettings
}

/** The version, and the settings that clients may read (behaviour/auth-and-access#settings-and-version). */
export function settingsOperations({ ui, api, attachment, repository }: PublicSettings): Operation[] {
  const settings = { method: 'GET', area: 'settings', guard: anyone } as const
  return [
    defineOperation({
      id: 'getVersion',
      method: 'GET',
      path: '/version',
      area: 'miscellaneous',
      summary: 'The version of the running server',
      guard: anyone,
      responses: { 200: ServerVersion },
      handler: () => ok({ version: SERVER_VERSION, Version: SERVER_VERSION } satisfies ServerVersion),
    }),
    defineOperation({
      ...settings,
      id: 'getGeneralUISettings',
      path: '/settings/ui',
      summary: 'Settings of what clients show',
      responses: { 200: GeneralUISettings },
      handler: () => ok(ui),
    }),
    defineOperation({
      ...settings,
      id: 'getGeneralAPISettings',
      path: '/settings/api',
      summary: 'Settings of the API',
      responses: { 200: GeneralAPISettings },
      handler: () => ok(api),
    }),
    defineOperation({
      ...settings,
      id: 'getGeneralAttachmentSettings',
      path: '/settings/attachment',
      summary: 'Settings of attachments',
      responses: { 200: GeneralAttachmentSettings },
      handler: () => ok(attachment),
    }),
    defineOperation({
      ...settings,
      id: 'getGeneralRepositorySettings',
      path: '/settings/repository',
      summary: 'Settings of repositories',
      responses: { 200: GeneralRepoSettings },
      handler: () => ok(repository),
    }),
  ]
}
