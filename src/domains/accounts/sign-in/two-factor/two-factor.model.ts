import { type Static, Type } from '@sinclair/typebox'

export const TwoFactorStatus = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Signing in with the password asks for a one-time code.' }),
    pending: Type.Boolean({ description: 'A secret was made and waits for its first code.' }),
    recovery_codes_left: Type.Integer(),
  },
  { $id: 'TwoFactorStatus' },
)
export type TwoFactorStatus = Static<typeof TwoFactorStatus>

export const TwoFactorEnrolment = Type.Object(
  {
    secret: Type.String({ description: 'Base32, to be typed into an authenticator app.' }),
    url: Type.String({ description: 'otpauth://totp/..., to be shown to it as a QR code.' }),
  },
  { $id: 'TwoFactorEnrolment' },
)

export const TwoFactorRecovery = Type.Object(
  { recovery_codes: Type.Array(Type.String(), { description: 'Each works once in place of a code; shown only now.' }) },
  { $id: 'TwoFactorRecovery' },
)

export const ConfirmTwoFactorOption = Type.Object(
  { code: Type.String({ maxLength: 32, description: 'The code that the authenticator app shows' }) },
  { $id: 'ConfirmTwoFactorOption' },
)
