import { Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox'

/** The member of an answer is always there and may be null. In requests null counts as absent and needs no word. */
export const Nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()]))
