import { Type, type Static } from '@sinclair/typebox'
import { NAME_LENGTH, TEXT_LENGTH, LIST_ITEMS } from '../../../core/http/body/limits.ts'
import { GitRefName } from '../../../core/http/answer/text.ts'

export const CreateRepoOption = Type.Object(
  {
    name: Type.String({ maxLength: 100 }),
    description: Type.Optional(Type.String({ maxLength: 2048 })),
    private: Type.Optional(Type.Boolean()),
    auto_init: Type.Optional(Type.Boolean({ description: 'Make a first commit with a README' })),
    gitignores: Type.Optional(
      Type.String({ maxLength: TEXT_LENGTH, description: 'Comma list of template names; with auto_init' }),
    ),
    license: Type.Optional(Type.String({ maxLength: 100, description: 'Template name; with auto_init' })),
    readme: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Template name; with auto_init' })),
    issue_labels: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Name of a label set' })),
    default_branch: Type.Optional(GitRefName({ maxLength: 100 })),
    trust_model: Type.Optional(
      Type.String({ maxLength: NAME_LENGTH, description: 'default, collaborator, committer or collaboratorcommitter' }),
    ),
    object_format_name: Type.Optional(Type.String({ maxLength: 6, description: 'sha1 or sha256' })),
    template: Type.Optional(Type.Boolean()),
    is_template: Type.Optional(Type.Boolean({ description: 'Another name of template' })),
  },
  { $id: 'CreateRepoOption' },
)
export type CreateRepoOption = Static<typeof CreateRepoOption>

export const ReplaceFlagsOption = Type.Object(
  { flags: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })) },
  { $id: 'ReplaceFlagsOption' },
)
