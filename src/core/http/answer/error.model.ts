import { Type, type Static } from '@sinclair/typebox'

/** Every error but 404, whose body has no members (behaviour/decisions#not-found). */
export const APIError = Type.Object({ message: Type.String(), url: Type.Optional(Type.String()) }, { $id: 'APIError' })
export type APIError = Static<typeof APIError>

export const APINotFound = Type.Object({}, { $id: 'APINotFound' })
