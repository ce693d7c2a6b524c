import { Type } from '@sinclair/typebox'

export const ConfirmTwoFactorOption = Type.Object({ code: Type.String({ maxLength: 32, description: 'The code that the authenticator app shows' }) }, { $id: 'ConfirmTwoFactorOption' })
