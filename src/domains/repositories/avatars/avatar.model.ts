import { Type, type Static } from '@sinclair/typebox'
import { IMAGE_BODY_BYTES } from '../../../core/http/body/limits.ts'

const image = Type.String({ maxLength: IMAGE_BODY_BYTES, description: 'PNG, JPEG, GIF or WebP in base64' })

export const UpdateUserAvatarOption = Type.Object({ image }, { $id: 'UpdateUserAvatarOption' })
export type UpdateUserAvatarOption = Static<typeof UpdateUserAvatarOption>

export const UpdateRepoAvatarOption = Type.Object({ image }, { $id: 'UpdateRepoAvatarOption' })
export type UpdateRepoAvatarOption = Static<typeof UpdateRepoAvatarOption>
