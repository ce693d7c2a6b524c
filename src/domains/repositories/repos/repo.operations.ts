import { Type } from '@sinclair/typebox'
import { ok } from '../../../core/http/answer/answer.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { presentRepo } from './repo.present.ts'
import { Repository } from './repos.model.ts'
import type { Repos } from './repos.service.ts'
import { answerSigningKey, signingKeyAnswer } from '../signing/signing.operations.ts'
import type { CommitSigner } from '../signing/signing.ts'

interface RepoOperationDeps {
  readonly guards: Pick<Guards, 'repo' | 'repoById'>
  readonly repos: Repos
  readonly site: Site
}

/** One repository, by name and by id. */
export function repoOperations({ guards, repos, site }: RepoOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'repoGet',
      method: 'GET',
      path: '/repos/{owner}/{repo}',
      area: 'repository',
      summary: 'A repository',
      scopes: ['repository'],
      guard: guards.repo('see'),
      responses: { 200: Repository },
      errors: [404],
      handler: async ({ viewer, access }) => ok(presentRepo(await repos.view(viewer, access), site)),
    }),
    defineOperation({
      id: 'repoGetByID',
      method: 'GET',
      path: '/repositories/{id:int}',
      area: 'repository',
      summary: 'A repository by its id',
      scopes: ['repository'],
      guard: guards.repoById,
      responses: { 200: Repository },
      errors: [404],
      handler: async ({ viewer, access }) => ok(presentRepo(await repos.view(viewer, access), site)),
    }),
    defineOperation({
      id: 'repoGetLicenses',
      method: 'GET',
      path: '/repos/{owner}/{repo}/licenses',
      area: 'repository',
      summary: 'SPDX ids of the licences of a repository',
      scopes: ['repository'],
      guard: guards.repo('read', { unit: 'repo.code' }),
      responses: { 200: Type.Array(Type.String()) },
      errors: [403, 404],
      handler: ({ access: { repo } }) => ok(repo.licenses),
    }),
  ]
}

interface SigningKeyOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly signer: CommitSigner | undefined
}

/**
 * Returns the server's public key by the path of a repository
 * (behaviour/repositories#deploy-keys-git-hooks-avatar-signing-key).
 */
export function signingKeyOperations({ guards, signer }: SigningKeyOperationDeps): Operation[] {
  const common = {
    ...signingKeyAnswer,
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('read', { unit: 'repo.code' }),
  } as const
  return [
    defineOperation({
      ...common,
      id: 'repoSigningKey',
      path: '/repos/{owner}/{repo}/signing-key.gpg',
      summary: 'The GPG key that signs commits here',
      handler: () => answerSigningKey(signer, 'openpgp'),
    }),
    defineOperation({
      ...common,
      id: 'repoSigningKeySSH',
      path: '/repos/{owner}/{repo}/signing-key.pub',
      summary: 'The SSH key that signs commits here',
      handler: () => answerSigningKey(signer, 'ssh'),
    }),
  ]
}
