import { noContent } from '../../../core/http/answer/answer.ts'
import { IMAGE_BODY_BYTES } from '../../../core/http/body/limits.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import { UpdateRepoAvatarOption, UpdateUserAvatarOption } from './avatar.model.ts'
import type { Avatars } from './avatars.service.ts'

interface Deps {
  readonly avatars: Avatars
  readonly guards: Pick<Guards, 'org' | 'repo'>
}

const noContentResponse = { responses: { 204: null } } as const

/**
 * Images of users, organizations and repositories (behaviour/users-and-admin#current-user,
 * behaviour/orgs-webhooks-actions#blocks-labels-avatar-feeds,
 * behaviour/repositories#deploy-keys-git-hooks-avatar-signing-key).
 */
export function avatarOperations(deps: Deps): Operation[] {
  return [...ofUser(deps), ...ofOrg(deps), ...ofRepo(deps)]
}

function ofUser({ avatars }: Deps): Operation[] {
  const common = {
    ...noContentResponse,
    path: '/user/avatar',
    area: 'user',
    scopes: ['user'],
    guard: signedIn,
  } as const
  return [
    defineOperation({
      ...common,
      id: 'userUpdateAvatar',
      method: 'POST',
      summary: 'Set your avatar',
      body: UpdateUserAvatarOption,
      bodyLimit: IMAGE_BODY_BYTES,
      errors: [400, 422],
      async handler({ access: { account }, body, rateLimitKey }) {
        await avatars.setOfAccount(account.id, body.image, rateLimitKey)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'userDeleteAvatar',
      method: 'DELETE',
      summary: 'Delete your avatar; the generated image replaces it',
      async handler({ access: { account } }) {
        await avatars.clearOfAccount(account.id)
        return noContent()
      },
    }),
  ]
}

function ofOrg({ avatars, guards }: Deps): Operation[] {
  const common = {
    ...noContentResponse,
    path: '/orgs/{org}/avatar',
    area: 'organization',
    scopes: ['organization'],
    guard: guards.org('owner'),
  } as const
  return [
    defineOperation({
      ...common,
      id: 'orgUpdateAvatar',
      method: 'POST',
      summary: 'Set the avatar of an organization',
      body: UpdateUserAvatarOption,
      bodyLimit: IMAGE_BODY_BYTES,
      errors: [400, 404, 422],
      async handler({ access: { org }, body, rateLimitKey }) {
        await avatars.setOfAccount(org.id, body.image, rateLimitKey)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'orgDeleteAvatar',
      method: 'DELETE',
      summary: 'Delete the avatar of an organization; the generated image replaces it',
      errors: [404],
      async handler({ access: { org } }) {
        await avatars.clearOfAccount(org.id)
        return noContent()
      },
    }),
  ]
}

function ofRepo({ avatars, guards }: Deps): Operation[] {
  const common = {
    ...noContentResponse,
    path: '/repos/{owner}/{repo}/avatar',
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('admin'),
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoUpdateAvatar',
      method: 'POST',
      summary: 'Set the avatar of a repository',
      body: UpdateRepoAvatarOption,
      bodyLimit: IMAGE_BODY_BYTES,
      errors: [400, 404, 422],
      async handler({ access: { repo }, body, rateLimitKey }) {
        await avatars.setOfRepo(repo.id, body.image, rateLimitKey)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteAvatar',
      method: 'DELETE',
      summary: 'Delete the avatar of a repository',
      errors: [404],
      async handler({ access: { repo } }) {
        await avatars.clearOfRepo(repo.id)
        return noContent()
      },
    }),
  ]
}
