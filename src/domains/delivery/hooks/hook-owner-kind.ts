import type { TObject } from '@sinclair/typebox'
import type { ScopeCategory } from '../../../core/access/viewer.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import type { Area } from '../../../core/http/operation.ts'
import type { HookOwner } from './webhook.store.ts'

type OperationName = 'list' | 'create' | 'get' | 'edit' | 'delete' | 'listDeliveries' | 'getDelivery' | 'redeliver'

/** A kind of owner of webhooks, with the paths and guard of its operations. */
export interface OwnerKind<Access> {
  readonly root: string
  readonly area: Area & ScopeCategory
  readonly guard: Guard<Access>
  owner(access: Access): HookOwner
  readonly ids: Readonly<Record<OperationName, string>>
  /** Whether lists have a Link header; those of repositories have none. */
  readonly link: boolean
  readonly listQuery?: TObject
  /** Selects the owner of listed webhooks by the query. */
  listOwner?(query: Readonly<Record<string, unknown>>): HookOwner
}
