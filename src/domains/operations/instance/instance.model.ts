import { Type, type Static } from '@sinclair/typebox'

const NodeInfoSoftware = Type.Object(
  { name: Type.String(), version: Type.String(), repository: Type.String(), homepage: Type.String() },
  { $id: 'NodeInfoSoftware' },
)
const NodeInfoServices = Type.Object(
  { inbound: Type.Array(Type.String()), outbound: Type.Array(Type.String()) },
  { $id: 'NodeInfoServices' },
)
const NodeInfoUsageUsers = Type.Object(
  { total: Type.Integer(), activeMonth: Type.Integer(), activeHalfyear: Type.Integer() },
  { $id: 'NodeInfoUsageUsers' },
)
const NodeInfoUsage = Type.Object(
  { users: NodeInfoUsageUsers, localPosts: Type.Integer(), localComments: Type.Integer() },
  { $id: 'NodeInfoUsage' },
)

/** NodeInfo 2.1 (nodeinfo.diaspora.software). */
export const NodeInfo = Type.Object(
  {
    version: Type.String(),
    software: NodeInfoSoftware,
    protocols: Type.Array(Type.String()),
    services: NodeInfoServices,
    openRegistrations: Type.Boolean(),
    usage: NodeInfoUsage,
    metadata: Type.Object({}),
  },
  { $id: 'NodeInfo' },
)
export type NodeInfo = Static<typeof NodeInfo>

export const ServerVersion = Type.Object({ version: Type.String(), Version: Type.String() }, { $id: 'ServerVersion' })
export type ServerVersion = Static<typeof ServerVersion>

export const GeneralUISettings = Type.Object(
  {
    default_theme: Type.String(),
    allowed_reactions: Type.Array(Type.String()),
    custom_emojis: Type.Array(Type.String()),
  },
  { $id: 'GeneralUISettings' },
)
export type GeneralUISettings = Static<typeof GeneralUISettings>

export const GeneralAPISettings = Type.Object(
  {
    max_response_items: Type.Integer(),
    default_paging_num: Type.Integer(),
    default_git_trees_per_page: Type.Integer(),
    default_max_blob_size: Type.Integer(),
    default_max_response_size: Type.Integer(),
  },
  { $id: 'GeneralAPISettings' },
)
export type GeneralAPISettings = Static<typeof GeneralAPISettings>

export const GeneralAttachmentSettings = Type.Object(
  { enabled: Type.Boolean(), allowed_types: Type.String(), max_files: Type.Integer(), max_size: Type.Integer() },
  { $id: 'GeneralAttachmentSettings' },
)
export type GeneralAttachmentSettings = Static<typeof GeneralAttachmentSettings>

export const GeneralRepoSettings = Type.Object(
  {
    mirrors_disabled: Type.Boolean(),
    http_git_disabled: Type.Boolean(),
    migrations_disabled: Type.Boolean(),
    stars_disabled: Type.Boolean(),
    forks_disabled: Type.Boolean(),
    time_tracking_disabled: Type.Boolean(),
    lfs_disabled: Type.Boolean(),
    max_repo_creation: Type.Integer({
      description: 'Repositories that a user may have unless it has a limit of its own; -1 is no limit',
    }),
  },
  { $id: 'GeneralRepoSettings' },
)
export type GeneralRepoSettings = Static<typeof GeneralRepoSettings>
