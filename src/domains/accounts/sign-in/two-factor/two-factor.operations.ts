import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { signedInByPassword } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { ConfirmTwoFactorOption, TwoFactorEnrolment, TwoFactorRecovery, TwoFactorStatus } from '../sign-in.model.ts'
import type { TwoFactorAuth } from './two-factor.service.ts'

const PATH = '/user/two_factor'

/**
 * Two-factor authentication of the requesting user. Requires a password, so that no token can disable it. An extension
 * of the API.
 */
export function twoFactorOperations({ twoFactor }: { readonly twoFactor: TwoFactorAuth }): Operation[] {
  const common = { area: 'user', scopes: ['user'], guard: signedInByPassword } as const
  return [
    defineOperation({
      ...common,
      id: 'userGetTwoFactor',
      method: 'GET',
      path: PATH,
      summary: 'Say whether signing in asks for one-time codes',
      responses: { 200: TwoFactorStatus },
      async handler({ access: { account } }) {
        const { isEnabled, isPending, recoveryCodesLeft } = await twoFactor.status(account.id)
        return ok({ enabled: isEnabled, pending: isPending, recovery_codes_left: recoveryCodesLeft })
      },
    }),
    defineOperation({
      ...common,
      id: 'userBeginTwoFactor',
      method: 'POST',
      path: PATH,
      summary: 'Make a secret for one-time codes; they are asked for once the first one is confirmed',
      responses: { 201: TwoFactorEnrolment },
      errors: [409],
      handler: async ({ access: { account } }) => created(await twoFactor.begin(account)),
    }),
    defineOperation({
      ...common,
      id: 'userConfirmTwoFactor',
      method: 'POST',
      path: `${PATH}/confirm`,
      summary: 'Turn one-time codes on with the first one; the answer shows the recovery codes for the only time',
      body: ConfirmTwoFactorOption,
      responses: { 200: TwoFactorRecovery },
      errors: [404, 409, 422, 429],
      handler: async ({ access, body }) =>
        ok({ recovery_codes: await twoFactor.confirm(access, access.account.id, body.code) }),
    }),
    defineOperation({
      ...common,
      id: 'userRenewRecoveryCodes',
      method: 'POST',
      path: `${PATH}/recovery_codes`,
      summary: 'Make new recovery codes in place of all old ones; the answer shows them for the only time',
      responses: { 200: TwoFactorRecovery },
      errors: [404],
      handler: async ({ access }) =>
        ok({ recovery_codes: await twoFactor.renewRecoveryCodes(access, access.account.id) }),
    }),
    defineOperation({
      ...common,
      id: 'userDisableTwoFactor',
      method: 'DELETE',
      path: PATH,
      summary: 'Ask for one-time codes no more',
      responses: { 204: null },
      errors: [404],
      async handler({ access }) {
        await twoFactor.disable(access, access.account.id)
        return noContent()
      },
    }),
  ]
}
