import { Type } from '@sinclair/typebox'
import type { AreaDeps } from '../../app/deps.ts'
import { type Answer, text } from '../../http/answer.ts'
import { anyone } from '../../http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { notFound } from '../../platform/errors.ts'
import type { CommitSigner } from './signing.ts'

type Deps = Pick<AreaDeps, 'guards' | 'signer'>
type Format = CommitSigner['format']

const common = {
  method: 'GET',
  responses: { 200: Type.String({ contentMediaType: 'text/plain' }) },
  errors: [404],
} as const

/** The public part of the key that signs the server's commits (reference users-and-admin §15, repositories §23). */
export function signingOperations({ guards, signer }: Deps): Operation[] {
  const key = (format: Format): Answer => {
    if (signer === undefined) throw notFound('no signing key')
    if (signer.format !== format) throw notFound(`signing key format is ${signer.format}`)
    return text(signer.publicKey)
  }
  const site = { ...common, area: 'miscellaneous', guard: anyone } as const
  const ofRepo = {
    ...common,
    area: 'repository',
    scopes: ['repository'],
    guard: guards.repo('read', { unit: 'repo.code' }),
  } as const
  return [
    defineOperation({
      ...site,
      id: 'getSigningKey',
      path: '/signing-key.gpg',
      summary: "The server's GPG key",
      handler: () => key('openpgp'),
    }),
    defineOperation({
      ...site,
      id: 'getSigningKeySSH',
      path: '/signing-key.pub',
      summary: "The server's SSH key",
      handler: () => key('ssh'),
    }),
    defineOperation({
      ...ofRepo,
      id: 'repoSigningKey',
      path: '/repos/{owner}/{repo}/signing-key.gpg',
      summary: 'The GPG key that signs commits here',
      handler: () => key('openpgp'),
    }),
    defineOperation({
      ...ofRepo,
      id: 'repoSigningKeySSH',
      path: '/repos/{owner}/{repo}/signing-key.pub',
      summary: 'The SSH key that signs commits here',
      handler: () => key('ssh'),
    }),
  ]
}
