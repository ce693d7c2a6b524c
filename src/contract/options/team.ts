import { Type, type Static } from '@sinclair/typebox'

const members = {
  description: Type.Optional(Type.String({ maxLength: 255 })),
  /** COMPAT: anything but read, write and admin counts as none. */
  permission: Type.Optional(Type.String({ description: 'read, write or admin' })),
  includes_all_repositories: Type.Optional(Type.Boolean()),
  can_create_org_repo: Type.Optional(Type.Boolean()),
  units: Type.Optional(Type.Array(Type.String())),
  units_map: Type.Optional(Type.Record(Type.String(), Type.String())),
}
const named = (pattern: string) => Type.String({ pattern, 'x-rule': 'AlphaDashDot', maxLength: 255 })

export const CreateTeamOption = Type.Object({ name: named('^[A-Za-z0-9._-]+$'), ...members }, { $id: 'CreateTeamOption' })
export type CreateTeamOption = Static<typeof CreateTeamOption>

/** Absent members stay as they are, and so does the name when it is empty. */
export const EditTeamOption = Type.Object({ name: Type.Optional(named('^[A-Za-z0-9._-]*$')), ...members }, { $id: 'EditTeamOption' })
export type EditTeamOption = Static<typeof EditTeamOption>
