import { Type, type Static } from '@sinclair/typebox'

export const Badge = Type.Object({ id: Type.Integer(), slug: Type.String(), description: Type.String(), image_url: Type.String() }, { $id: 'Badge' })
export type Badge = Static<typeof Badge>
