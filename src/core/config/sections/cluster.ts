import { Type } from '@sinclair/typebox'

export const clusterSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description:
        'Let several servers (nodes) share the PostgreSQL database and data_dir, which is on a shared file system. ' +
        'All nodes need the same setting.',
    }),
    node: Type.String({
      default: '',
      pattern: '^$|^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
      description: 'Name of this node, which no other node of the cluster has. Empty: the host name.',
    }),
    local_dir: Type.String({
      default: '',
      description:
        'Directory of this node alone, best on a local disk: its lock and what it keeps of fetches and archives. ' +
        'Empty: data_dir/nodes/NAME.',
    }),
    lease: Type.Integer({
      default: 10,
      minimum: 2,
      maximum: 300,
      description:
        'Seconds after which the locks of a node that does not respond are free for others. Those of a node whose ' +
        'process ended are free at once.',
    }),
  },
  { additionalProperties: false, description: 'Several servers on one database (docs/operate/scaling.md).' },
)
