import { INGOT_VERSION } from '../../../core/platform/version.ts'
import type { DoctorCheck } from '../../../core/module.ts'
import { clockFindings, nodeFindings } from './nodes.policy.ts'
import type { Nodes } from './nodes.service.ts'

/** Far more than any cluster has. */
const MAX_NODES = 1_000

/** Reports nodes that have disappeared, run another version, or have a wrong clock. */
export const nodesCheck = (nodes: Nodes): DoctorCheck => ({
  name: 'nodes',
  async *run() {
    const { items } = await nodes.list({ page: 1, offset: 0, limit: MAX_NODES })
    const now = await nodes.databaseTime()
    yield* nodeFindings(items, { version: INGOT_VERSION, now, intervalMs: nodes.intervalMs })
    yield* clockFindings('this machine', await nodes.clockOffset())
  },
})
