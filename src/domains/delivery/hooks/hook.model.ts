import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { LIST_ITEMS, NAME_LENGTH, TEXT_LENGTH } from '../../../core/http/body/limits.ts'

const Headers = Type.Record(Type.String(), Type.String())
const Time = Type.String({ format: 'date-time' })
const Attempt = Type.Object({
  at: Time,
  /** 0 if there was no response. */
  status: Type.Integer(),
  duration_ms: Type.Integer(),
  error: Type.String(),
})

const members = {
  id: Type.Integer(),
  uuid: Type.String(),
  hook_id: Type.Integer(),
  event: Type.String(),
  event_type: Type.String(),
  action: Type.String(),
  state: Type.Union([Type.Literal('waiting'), Type.Literal('delivered'), Type.Literal('dead')]),
  attempts: Type.Integer(),
  created_at: Time,
  finished_at: Nullable(Time),
  url: Type.String(),
  /** The status of the last attempt; 0 if there was no response. */
  status: Type.Integer(),
  duration_ms: Type.Integer(),
  error: Type.String(),
  /** The last attempts, latest last. */
  history: Type.Array(Attempt),
}

export const HookDelivery = Type.Object(members, { $id: 'HookDelivery' })

export const HookDeliveryDetails = Type.Object(
  {
    ...members,
    /** The request of the last attempt, without the authorization header. */
    request: Type.Object({ url: Type.String(), headers: Headers, body: Type.String() }),
    response: Nullable(Type.Object({ status: Type.Integer(), headers: Headers, body: Type.String() })),
  },
  { $id: 'HookDeliveryDetails' },
)

export const HookQueue = Type.Object(
  {
    waiting: Type.Integer(),
    dead: Type.Integer(),
    oldest: Nullable(Time),
    failing_hooks: Type.Integer(),
    failing_hosts: Type.Integer(),
  },
  { $id: 'HookQueue' },
)

export const RequeuedDeliveries = Type.Object({ requeued: Type.Integer() }, { $id: 'RequeuedDeliveries' })

/** A script that git runs in a repository. */
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
    /** Address, content type and type-specific options, without the secret. */
    config: Settings,
    content_type: Type.String(),
    metadata: Nullable(Settings),
    events: Type.Array(Type.String()),
    authorization_header: Type.String(),
    active: Type.Boolean(),
    /**
     * `none`, `delivered`, `failed`, `dead` for deliveries that failed for good, or `paused` while the server does not
     * respond.
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
