import { noContent } from '../../http/answer.ts'
import { signedIn } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import type { Guards } from '../subject.ts'
import { UpdateRepoAvatarOption, UpdateUserAvatarOption } from './avatar.model.ts'
import type { Avatars } from './avatars.service.ts'

interface Deps {
  readonly avatars: Avatars
  readonly guards: Pick<Guards, 'org' | 'repo'>
}

const done = { responses: { 204: null } } as const

/**
 * Images of users, organizations and repositories (behaviour/users-and-admin#current-user,
 * behaviour/orgs-webhooks-actions#blocks-labels-avatar-feeds,
 * behaviour/repositories#deploy-keys-git-hooks-avatar-signing-key).
 */
export function avatarOperations(deps: Deps): Operation[] {
  return [...ofUser(deps), ...ofOrg(deps), ...ofRepo(deps)]
}

function ofUser({ avatars }: Deps): Operation[] {
  const common = { ...done, path: '/user/avatar', area: 'user', scopes: ['user'], guard: signedIn } as const
  return [
    defineOperation({
      ...common,
      id: 'userUpdateAvatar',
      method: 'POST',
      summary: 'Show an image of yours',
      body: UpdateUserAvatarOption,
      errors: [400, 422],
      async handler({ access: { account }, body }) {
        await avatars.setOfAccount(account.id, body.image)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'userDeleteAvatar',
      method: 'DELETE',
      summary: 'Show the generated image again',
      async handler({ access: { account } }) {
        await avatars.clearOfAccount(account.id)
        return noContent()
      },
    }),
  ]
}

function ofOrg({ avatars, guards }: Deps): Operation[] {
  const common = {
    ...done,
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
      summary: 'Show an image of the organization',
      body: UpdateUserAvatarOption,
      errors: [400, 404, 422],
      async handler({ access: { org }, body }) {
        await avatars.setOfAccount(org.id, body.image)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'orgDeleteAvatar',
      method: 'DELETE',
      summary: 'Show the generated image of the organization again',
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
    ...done,
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
      summary: 'Show an image of the repository',
      body: UpdateRepoAvatarOption,
      errors: [400, 404, 422],
      async handler({ access: { repo }, body }) {
        await avatars.setOfRepo(repo.id, body.image)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeleteAvatar',
      method: 'DELETE',
      summary: 'Show no image of the repository any more',
      errors: [404],
      async handler({ access: { repo } }) {
        await avatars.clearOfRepo(repo.id)
        return noContent()
      },
    }),
  ]
}
