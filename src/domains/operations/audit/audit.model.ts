import { type Static, Type } from '@sinclair/typebox'

const Name = Type.String({ description: 'As it was at the time' })

export const AuditEntry = Type.Object(
  {
    id: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    action: Type.String({ description: 'What was done, such as token.created' }),
    outcome: Type.Union([Type.Literal('succeeded'), Type.Literal('failed')]),
    actor: Type.Object(
      { id: Type.Integer({ description: '0 for no account' }), name: Name },
      { description: 'The account that acted' },
    ),
    sudo_by: Type.Union([Type.Object({ id: Type.Integer(), name: Name }), Type.Null()], {
      description: 'The administrator who acted as this account',
    }),
    credential: Type.Object(
      {
        kind: Type.String({ description: 'How the client proved who it is, such as access-token or ssh-key' }),
        id: Type.Integer({ description: 'Of the token, key or application; 0 for kinds without one' }),
        name: Name,
      },
      { description: 'The credential of the request' },
    ),
    address: Type.String({ description: 'IP address of the client; empty for the command line and background work' }),
    user_agent: Type.String(),
    target: Type.Object({
      kind: Type.String({ description: 'Such as user, organization, team, repository or site' }),
      id: Type.Integer({ description: '0 when the target has no row' }),
      name: Name,
    }),
    details: Type.Record(Type.String(), Type.Unknown(), { description: 'Further facts of the action, never secrets' }),
  },
  { $id: 'AuditEntry', description: 'An entry of the audit log' },
)
export type AuditEntry = Static<typeof AuditEntry>
