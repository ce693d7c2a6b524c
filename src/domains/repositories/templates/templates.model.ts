import { Type, type Static } from '@sinclair/typebox'

export const GitignoreTemplateInfo = Type.Object(
  { name: Type.String(), source: Type.String() },
  { $id: 'GitignoreTemplateInfo' },
)
export type GitignoreTemplateInfo = Static<typeof GitignoreTemplateInfo>

const licenseMembers = { key: Type.String({ description: 'SPDX id' }), name: Type.String(), url: Type.String() }

export const LicensesTemplateListEntry = Type.Object(licenseMembers, { $id: 'LicensesTemplateListEntry' })
export type LicensesTemplateListEntry = Static<typeof LicensesTemplateListEntry>

export const LicenseTemplateInfo = Type.Object(
  {
    ...licenseMembers,
    implementation: Type.String({ description: 'How to use it' }),
    body: Type.String({ description: 'The text with its placeholders' }),
  },
  { $id: 'LicenseTemplateInfo' },
)
export type LicenseTemplateInfo = Static<typeof LicenseTemplateInfo>

export const LabelTemplate = Type.Object(
  { name: Type.String(), color: Type.String(), exclusive: Type.Boolean(), description: Type.String() },
  { $id: 'LabelTemplate' },
)
export type LabelTemplate = Static<typeof LabelTemplate>
