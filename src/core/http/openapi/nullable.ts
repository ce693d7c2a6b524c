import { Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox'

/**
 * A member of a response that is always present and may be null. In requests null counts as absent, so they do not need
 * it.
 */
export const Nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()]))
