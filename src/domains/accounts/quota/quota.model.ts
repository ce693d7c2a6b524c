import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../core/http/body/limits.ts'

const bytes = Type.Integer({ description: 'Bytes' })

/** Only administrators see the name. */
export const QuotaRuleInfo = Type.Object(
  {
    name: Type.Optional(Type.String()),
    limit: Type.Integer({ description: 'Bytes; -1 is no limit' }),
    subjects: Type.Array(Type.String()),
  },
  { $id: 'QuotaRuleInfo' },
)
export type QuotaRuleInfo = Static<typeof QuotaRuleInfo>

export const QuotaGroup = Type.Object(
  { name: Type.Optional(Type.String()), rules: Type.Array(QuotaRuleInfo) },
  { $id: 'QuotaGroup' },
)
export type QuotaGroup = Static<typeof QuotaGroup>

export const QuotaInfo = Type.Object(
  {
    used: Type.Object({
      size: Type.Object({
        repos: Type.Object({ public: bytes, private: bytes }),
        git: Type.Object({ LFS: bytes }),
        assets: Type.Object({
          attachments: Type.Object({ issues: bytes, releases: bytes }),
          artifacts: bytes,
          packages: Type.Object({ all: bytes }),
        }),
      }),
    }),
    groups: Type.Array(QuotaGroup),
  },
  { $id: 'QuotaInfo' },
)
export type QuotaInfo = Static<typeof QuotaInfo>

export const QuotaUsedAttachment = Type.Object(
  {
    name: Type.String(),
    size: bytes,
    api_url: Type.String(),
    contained_in: Type.Object({ api_url: Type.String(), html_url: Type.String() }),
  },
  { $id: 'QuotaUsedAttachment' },
)
export type QuotaUsedAttachment = Static<typeof QuotaUsedAttachment>

export const QuotaUsedArtifact = Type.Object(
  { name: Type.String(), size: bytes, html_url: Type.String({ description: 'Of the run' }) },
  { $id: 'QuotaUsedArtifact' },
)
export type QuotaUsedArtifact = Static<typeof QuotaUsedArtifact>

export const QuotaUsedPackage = Type.Object(
  { name: Type.String(), type: Type.String(), version: Type.String(), size: bytes, html_url: Type.String() },
  { $id: 'QuotaUsedPackage' },
)
export type QuotaUsedPackage = Static<typeof QuotaUsedPackage>

const Name = Type.Optional(Type.String({ maxLength: 255 }))
const limits = {
  limit: Type.Optional(Type.Integer({ description: 'Bytes; -1 is no limit, 0 forbids' })),
  subjects: Type.Optional(
    Type.Array(Type.String({ maxLength: NAME_LENGTH }), {
      maxItems: LIST_ITEMS,
      description: 'What is limited, such as size:all, size:repos:all, size:git:lfs',
    }),
  ),
}

export const CreateQuotaRuleOptions = Type.Object({ name: Name, ...limits }, { $id: 'CreateQuotaRuleOptions' })
export type CreateQuotaRuleOptions = Static<typeof CreateQuotaRuleOptions>

export const EditQuotaRuleOptions = Type.Object(limits, { $id: 'EditQuotaRuleOptions' })
export type EditQuotaRuleOptions = Static<typeof EditQuotaRuleOptions>

export const CreateQuotaGroupOptions = Type.Object(
  { name: Name, rules: Type.Optional(Type.Array(CreateQuotaRuleOptions, { maxItems: LIST_ITEMS })) },
  { $id: 'CreateQuotaGroupOptions' },
)
export type CreateQuotaGroupOptions = Static<typeof CreateQuotaGroupOptions>

export const SetUserQuotaGroupsOptions = Type.Object(
  { groups: Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS }) },
  { $id: 'SetUserQuotaGroupsOptions' },
)
export type SetUserQuotaGroupsOptions = Static<typeof SetUserQuotaGroupsOptions>
