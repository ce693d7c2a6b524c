import { Type } from '@sinclair/typebox'

/** Members of imported objects alone; other objects do not have them. */
export const importedAuthorMembers = {
  original_author: Type.Optional(
    Type.String({ description: 'The author at the other server of an imported object, if it has no account here' }),
  ),
  original_author_id: Type.Optional(Type.Integer({ description: 'The id of `original_author` there' })),
}

export const presentImportedAuthor = (author: { readonly login: string; readonly id: number } | undefined) =>
  author === undefined ? {} : { original_author: author.login, original_author_id: author.id }
