import type { SealedColumns } from '../../db/sealed-columns.ts'

export const sealedHookColumns: SealedColumns = {
  table: 'webhook',
  key: 'id',
  contexts: { secret: () => 'webhook.secret', authorization_header: () => 'webhook.authorization_header' },
}
