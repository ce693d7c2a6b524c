import cluster from 'node:cluster'
import { hostname } from 'node:os'
import type { Config } from '../../../core/config/index.ts'
import { newestMigration } from '../../../core/db/migrate.ts'
import { INGOT_VERSION } from '../../../core/platform/version.ts'
import { defineModule, type DoctorCheck } from '../../../core/module.ts'
import { Nodes } from './nodes.service.ts'
import { nodesOperations } from './nodes.operations.ts'
import { clockFindings, nodeFindings } from './nodes.policy.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly nodes: Nodes
  }
}

/** The servers that use the database, and their heartbeats. */
export const module = defineModule({
  name: 'nodes',
  needs: [],
  async create({ config, database, clock, log, processes, nodeName }) {
    const startedAt = Math.round(processes.serverStartedAt)
    const self = {
      instance: `${nodeName} ${hostname()} ${serverPid()} ${startedAt}`,
      name: nodeName,
      host: hostname(),
      pid: serverPid(),
      version: INGOT_VERSION,
      schema: await newestMigration(database),
      address: addressOf(config.server),
      workers: processes.count,
      started_at: startedAt,
      sender_pid: process.pid,
    }
    const nodes = new Nodes({ database, clock, log, processes, self })
    return {
      services: { nodes },
      operations: nodesOperations(nodes),
      workers: [nodes],
      checks: [nodesCheck(nodes)],
    }
  },
})

const EVERY_ADDRESS = new Set(['0.0.0.0', '::'])

function addressOf({ host, port }: Config['server']): string {
  const reached = EVERY_ADDRESS.has(host) ? hostname() : host
  return `${reached.includes(':') ? `[${reached}]` : reached}:${port === 0 ? '' : port}`
}

/** The process that an operator started: the supervisor, seen from a worker. */
const serverPid = (): number => (cluster.isWorker ? process.ppid : process.pid)

/** Far more than any cluster has. */
const MAX_NODES = 1_000

/** Reports nodes that have disappeared, run another version, or have a wrong clock. */
const nodesCheck = (nodes: Nodes): DoctorCheck => ({
  name: 'nodes',
  async *run() {
    const { items } = await nodes.list({ page: 1, offset: 0, limit: MAX_NODES })
    const now = await nodes.databaseTime()
    yield* nodeFindings(items, { version: INGOT_VERSION, now, intervalMs: nodes.intervalMs })
    yield* clockFindings('this machine', await nodes.clockOffset())
  },
})
