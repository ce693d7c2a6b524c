import { Type, type Static } from '@sinclair/typebox'

const Config = Type.Record(Type.String(), Type.String({ maxLength: 4096 }))

const shared = {
  name: Type.Optional(Type.String({ maxLength: 255 })),
  events: Type.Optional(Type.Array(Type.String())),
  branch_filter: Type.Optional(Type.String({ maxLength: 1024 })),
  authorization_header: Type.Optional(Type.String({ maxLength: 4096 })),
  active: Type.Optional(Type.Boolean()),
}

export const CreateHookOption = Type.Object({ type: Type.String(), config: Config, ...shared }, { $id: 'CreateHookOption' })
export type CreateHookOption = Static<typeof CreateHookOption>

export const EditHookOption = Type.Object({ config: Type.Optional(Config), ...shared }, { $id: 'EditHookOption' })
export type EditHookOption = Static<typeof EditHookOption>
