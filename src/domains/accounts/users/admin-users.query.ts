import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH, URL_LENGTH } from '../../../core/http/body/limits.ts'
import { invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { USER_SORTS, type UserFilter, type UserOrder } from './user-list.store.ts'

/** Orders that are named by one word, of the search and of the list for administrators. */
export const NAMED_ORDERS = {
  alphabetically: { by: 'name', direction: 'asc' },
  reversealphabetically: { by: 'name', direction: 'desc' },
  oldest: { by: 'created', direction: 'asc' },
  newest: { by: 'created', direction: 'desc' },
  leastupdate: { by: 'updated', direction: 'asc' },
  recentupdate: { by: 'updated', direction: 'desc' },
} as const

const Yes = () => Type.Optional(Type.Boolean())

export const adminUserQuery = {
  source_id: Type.Optional(Type.Integer({ description: 'Sign-in source' })),
  login_name: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Name at the sign-in source' })),
  q: Type.Optional(Type.String({ maxLength: URL_LENGTH, description: 'Part of login, full name or e-mail address' })),
  visibility: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'public, limited or private' })),
  sort: Type.Optional(
    Type.String({ maxLength: NAME_LENGTH, description: 'name, created, updated, id, or as of the user search' }),
  ),
  order: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'asc or desc' })),
  is_active: Yes(),
  is_admin: Yes(),
  is_restricted: Yes(),
  is_2fa_enabled: Yes(),
  is_prohibit_login: Yes(),
}

const querySchema = Type.Object(adminUserQuery)
type Query = Static<typeof querySchema>

export function readUserFilter(query: Query): UserFilter {
  const { visibility } = query
  if (visibility !== undefined && visibility !== 'public' && visibility !== 'limited' && visibility !== 'private')
    throw invalid(`Invalid visibility: "${visibility}"`)
  return {
    keyword: query.q?.trim() ?? '',
    visibility,
    loginName: query.login_name,
    sourceId: query.source_id,
    isActive: query.is_active,
    isAdmin: query.is_admin,
    isRestricted: query.is_restricted,
    isLoginProhibited: query.is_prohibit_login,
    hasTwoFactor: query.is_2fa_enabled,
  }
}

export function readUserOrder(query: Query): UserOrder {
  const [sort, order] = [query.sort || 'name', query.order || 'asc']
  if (order !== 'asc' && order !== 'desc') throw errors.sortOrderInvalid(order)
  if (Object.hasOwn(NAMED_ORDERS, sort)) return NAMED_ORDERS[sort as keyof typeof NAMED_ORDERS]
  if (!Object.hasOwn(USER_SORTS, sort)) throw errors.sortModeInvalid(sort)
  return { by: sort as UserOrder['by'], direction: order }
}
