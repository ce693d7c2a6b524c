import { Type } from '@sinclair/typebox'

export const clusterSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description:
        'Run several servers (nodes) on one PostgreSQL database and one data_dir on a shared file system. ' +
        'All nodes need the same setting.',
    }),
    node: Type.String({
      default: '',
      pattern: '^$|^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
      description: 'Name of this node, unique in the cluster. Empty: the host name.',
    }),
    local_dir: Type.String({
      default: '',
      description:
        'Directory used by this node only, best on a local disk: its lock and its caches of fetches and archives. ' +
        'Empty: data_dir/nodes/NAME.',
    }),
    lease: Type.Integer({
      default: 10,
      minimum: 2,
      maximum: 300,
      description:
        'Seconds until the locks of an unresponsive node become free for others. The locks of a node whose ' +
        'process has ended become free at once.',
    }),
  },
  { additionalProperties: false, description: 'Several servers on one database (docs/operate/scaling.md).' },
)
