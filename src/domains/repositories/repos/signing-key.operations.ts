import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { answerSigningKey, signingKeyAnswer } from '../signing/signing.operations.ts'
import type { CommitSigner } from '../signing/signing.ts'
import type { Guards } from '../../../core/module.ts'

interface SigningKeyOperationDeps {
  readonly guards: Pick<Guards, 'repo'>
  readonly signer: CommitSigner | undefined
}

/**
 * The server's public key by the path of a repository
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
