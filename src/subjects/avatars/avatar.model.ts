import { Type, type Static } from '@sinclair/typebox'

const image = Type.String({ description: 'PNG, JPEG, GIF or WebP in base64' })

export const UpdateUserAvatarOption = Type.Object({ image }, { $id: 'UpdateUserAvatarOption' })
export type UpdateUserAvatarOption = Static<typeof UpdateUserAvatarOption>

export const UpdateRepoAvatarOption = Type.Object({ image }, { $id: 'UpdateRepoAvatarOption' })
export type UpdateRepoAvatarOption = Static<typeof UpdateRepoAvatarOption>
