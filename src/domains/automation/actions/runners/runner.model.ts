import { type Static, Type } from '@sinclair/typebox'

const ActionRunnerLabel = Type.Object(
  {
    id: Type.Integer({ description: 'Its place in the list' }),
    name: Type.String(),
    type: Type.String({ description: 'custom' }),
  },
  { $id: 'ActionRunnerLabel' },
)

export const ActionRunner = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    status: Type.String({ description: 'online or offline' }),
    busy: Type.Boolean(),
    disabled: Type.Boolean({ description: 'It stays connected and gets no tasks' }),
    ephemeral: Type.Boolean({ description: 'It is deleted after one task' }),
    labels: Type.Array(ActionRunnerLabel),
  },
  { $id: 'ActionRunner' },
)
export type ActionRunner = Static<typeof ActionRunner>

export const ActionRunnersResponse = Type.Object(
  { runners: Type.Array(ActionRunner), total_count: Type.Integer() },
  { $id: 'ActionRunnersResponse' },
)

export const EditActionRunnerOption = Type.Object({ disabled: Type.Boolean() }, { $id: 'EditActionRunnerOption' })

export const RegistrationToken = Type.Object({ token: Type.String() }, { $id: 'RegistrationToken' })
