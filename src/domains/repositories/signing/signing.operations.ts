import { Type } from '@sinclair/typebox'
import { type ApiResponse, text } from '../../../core/http/answer/answer.ts'
import { anyone } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { CommitSigner } from './signing.ts'

/** The common part of the operations that return a public key. */
export const signingKeyAnswer = {
  method: 'GET',
  responses: { 200: Type.String({ contentMediaType: 'text/plain' }) },
  errors: [404],
} as const

/** Returns the public part of the server's key. Throws NotFound if there is no key of this format. */
export function answerSigningKey(signer: CommitSigner | undefined, format: CommitSigner['format']): ApiResponse {
  if (signer === undefined) throw notFound('no signing key')
  if (signer.format !== format) throw notFound(`signing key format is ${signer.format}`)
  return text(signer.publicKey)
}

/** The public part of the key that signs the server's commits (behaviour/users-and-admin#miscellaneous-endpoints). */
export function signingOperations(signer: CommitSigner | undefined): Operation[] {
  const common = { ...signingKeyAnswer, area: 'miscellaneous', guard: anyone } as const
  return [
    defineOperation({
      ...common,
      id: 'getSigningKey',
      path: '/signing-key.gpg',
      summary: "The server's GPG key",
      handler: () => answerSigningKey(signer, 'openpgp'),
    }),
    defineOperation({
      ...common,
      id: 'getSigningKeySSH',
      path: '/signing-key.pub',
      summary: "The server's SSH key",
      handler: () => answerSigningKey(signer, 'ssh'),
    }),
    defineOperation({
      ...common,
      id: 'getSSHSigningKey',
      path: '/signing-key.ssh',
      summary: "The server's SSH key, at another address",
      handler: () => answerSigningKey(signer, 'ssh'),
    }),
  ]
}
