import type { AreaDeps } from '../../app/deps.ts'
import { ok } from '../../http/answer.ts'
import { anyone } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { SERVER_VERSION } from '../../platform/version.ts'
import { ServerVersion } from './server-version.model.ts'
import {
  GeneralAPISettings,
  GeneralAttachmentSettings,
  GeneralRepoSettings,
  GeneralUISettings,
} from './settings.model.ts'

/** What clients may know of the server's configuration (reference auth-and-access §16). */
export function settingsOperations({ config }: Pick<AreaDeps, 'config'>): Operation[] {
  const { api, attachment, lfs, mirror, repository, ui } = config
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
      id: 'getGeneralUISettings',
      method: 'GET',
      path: '/settings/ui',
      area: 'settings',
      summary: 'Settings of what clients show',
      guard: anyone,
      responses: { 200: GeneralUISettings },
      handler: () =>
        ok({
          default_theme: ui.default_theme,
          allowed_reactions: ui.reactions,
          custom_emojis: ui.custom_emojis,
        } satisfies GeneralUISettings),
    }),
    defineOperation({
      id: 'getGeneralAPISettings',
      method: 'GET',
      path: '/settings/api',
      area: 'settings',
      summary: 'Settings of the API',
      guard: anyone,
      responses: { 200: GeneralAPISettings },
      handler: () =>
        ok({
          max_response_items: api.max_response_items,
          default_paging_num: api.default_paging_num,
          default_git_trees_per_page: api.default_git_trees_per_page,
          default_max_blob_size: api.default_max_blob_size,
          default_max_response_size: api.default_max_response_size,
        } satisfies GeneralAPISettings),
    }),
    defineOperation({
      id: 'getGeneralAttachmentSettings',
      method: 'GET',
      path: '/settings/attachment',
      area: 'settings',
      summary: 'Settings of attachments',
      guard: anyone,
      responses: { 200: GeneralAttachmentSettings },
      handler: () =>
        ok({
          enabled: attachment.enabled,
          allowed_types: attachment.allowed_types,
          max_files: attachment.max_files,
          max_size: attachment.max_size,
        } satisfies GeneralAttachmentSettings),
    }),
    defineOperation({
      id: 'getGeneralRepositorySettings',
      method: 'GET',
      path: '/settings/repository',
      area: 'settings',
      summary: 'Settings of repositories',
      guard: anyone,
      responses: { 200: GeneralRepoSettings },
      handler: () =>
        ok({
          mirrors_disabled: !mirror.enabled,
          http_git_disabled: repository.disable_http_git,
          migrations_disabled: repository.disable_migrations,
          stars_disabled: repository.disable_stars,
          forks_disabled: repository.disable_forks,
          time_tracking_disabled: false,
          lfs_disabled: !lfs.enabled,
          max_repo_creation: repository.max_creation_limit,
        } satisfies GeneralRepoSettings),
    }),
  ]
}
