import { type Static, Type } from '@sinclair/typebox'

export const AdminNode = Type.Object(
  {
    name: Type.String({ description: 'The setting cluster.node, or the host name' }),
    host: Type.String({ description: 'Name of the machine' }),
    pid: Type.Integer({ description: 'The process that was started' }),
    address: Type.String({ description: 'Host and port on which it listens' }),
    version: Type.String(),
    schema: Type.String({ description: 'The newest migration that it knows' }),
    workers: Type.Integer({ description: 'Processes that answer requests' }),
    state: Type.Union([Type.Literal('running'), Type.Literal('gone')]),
    started_at: Type.String({ format: 'date-time' }),
    heartbeat_at: Type.String({ format: 'date-time', description: 'By the clock of the database' }),
    clock_offset: Type.Integer({
      description: 'Milliseconds by which its clock is ahead of the clock of the database',
    }),
  },
  { $id: 'AdminNode', description: 'A server that uses the database' },
)
export type AdminNode = Static<typeof AdminNode>
