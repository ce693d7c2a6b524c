import type { SealedColumns } from '../../../core/db/sealed-columns.ts'

/** Encryption contexts of the secret texts of a webhook, see `SecretBox`. */
export const SECRET_CONTEXT = 'webhook.secret'
export const HEADER_CONTEXT = 'webhook.authorization_header'

export const sealedHookColumns: SealedColumns = {
  table: 'webhook',
  key: 'id',
  contexts: { secret: () => SECRET_CONTEXT, authorization_header: () => HEADER_CONTEXT },
}
