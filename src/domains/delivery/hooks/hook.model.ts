import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'
import { Nullable } from '../../../core/http/openapi/nullable.ts'

/** A script that git itself runs in a repository. */
export const GitHook = Type.Object(
  { name: Type.String(), is_active: Type.Boolean(), content: Type.String() },
  { $id: 'GitHook' },
)

export const EditGitHookOption = Type.Object(
  { content: Type.Optional(Type.String({ maxLength: TEXT_LENGTH })) },
  { $id: 'EditGitHookOption' },
)

const Settings = Type.Record(Type.String(), Type.String())

export const Hook = Type.Object(
  {
    id: Type.Integer(),
    type: Type.String(),
    name: Type.String(),
    branch_filter: Type.String(),
    url: Type.String(),
    /** Address, content type and the options of the type; never the secret. */
    config: Settings,
    content_type: Type.String(),
    metadata: Nullable(Settings),
    events: Type.Array(Type.String()),
    authorization_header: Type.String(),
    active: Type.Boolean(),
    /**
     * `none`, `delivered`, `failed`, `dead` for deliveries that were given up, or `paused` while its server is silent.
     */
    last_status: Type.String(),
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Hook' },
)
export type Hook = Static<typeof Hook>

const Config = Type.Record(Type.String(), Type.String({ maxLength: 4096 }), { maxProperties: LIST_ITEMS })

const shared = {
  name: Type.Optional(Type.String({ maxLength: 255 })),
  events: Type.Optional(Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS })),
  branch_filter: Type.Optional(Type.String({ maxLength: 1024 })),
  authorization_header: Type.Optional(Type.String({ maxLength: 4096 })),
  active: Type.Optional(Type.Boolean()),
}

export const CreateHookOption = Type.Object(
  {
    type: Type.String({ maxLength: NAME_LENGTH }),
    config: Config,
    ...shared,
    is_system_webhook: Type.Optional(
      Type.Boolean({
        description: 'Of webhooks of the site: false for one that is copied to new repositories; as text in config too',
      }),
    ),
  },
  { $id: 'CreateHookOption' },
)
export type CreateHookOption = Static<typeof CreateHookOption>

export const EditHookOption = Type.Object({ config: Type.Optional(Config), ...shared }, { $id: 'EditHookOption' })
export type EditHookOption = Static<typeof EditHookOption>
