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
