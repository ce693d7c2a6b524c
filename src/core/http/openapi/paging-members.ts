import { Type } from '@sinclair/typebox'

export const pagingMembers = {
  page: Type.Optional(Type.Integer({ description: 'Page of the list, from 1' })),
  limit: Type.Optional(Type.Integer({ description: 'Items of a page' })),
}

/** Query of a list without other parameters. */
export const pagingQuery = Type.Object(pagingMembers)
