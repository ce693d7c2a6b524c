import { Type, type Static } from '@sinclair/typebox'

const Name = Type.Optional(Type.String({ maxLength: 255 }))
const limits = {
  limit: Type.Optional(Type.Integer({ description: 'Bytes; -1 is no limit, 0 forbids' })),
  subjects: Type.Optional(Type.Array(Type.String(), { maxItems: 100, description: 'What is limited, such as size:all, size:repos:all, size:git:lfs' })),
}

export const CreateQuotaRuleOptions = Type.Object({ name: Name, ...limits }, { $id: 'CreateQuotaRuleOptions' })
export type CreateQuotaRuleOptions = Static<typeof CreateQuotaRuleOptions>

export const EditQuotaRuleOptions = Type.Object(limits, { $id: 'EditQuotaRuleOptions' })
export type EditQuotaRuleOptions = Static<typeof EditQuotaRuleOptions>

export const CreateQuotaGroupOptions = Type.Object({ name: Name, rules: Type.Optional(Type.Array(CreateQuotaRuleOptions, { maxItems: 100 })) }, { $id: 'CreateQuotaGroupOptions' })
export type CreateQuotaGroupOptions = Static<typeof CreateQuotaGroupOptions>

export const SetUserQuotaGroupsOptions = Type.Object({ groups: Type.Array(Type.String(), { maxItems: 100 }) }, { $id: 'SetUserQuotaGroupsOptions' })
export type SetUserQuotaGroupsOptions = Static<typeof SetUserQuotaGroupsOptions>
