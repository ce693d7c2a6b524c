import type { SealedColumns } from '../../../core/db/sealed-columns.ts'
import { HEADER_CONTEXT, SECRET_CONTEXT } from './hook-secrets.ts'

export const sealedHookColumns: SealedColumns = {
  table: 'webhook',
  key: 'id',
  contexts: { secret: () => SECRET_CONTEXT, authorization_header: () => HEADER_CONTEXT },
}
