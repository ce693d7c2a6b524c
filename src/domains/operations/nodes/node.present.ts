import { wireTime } from '../../../core/platform/clock.ts'
import type { AdminNode } from './node.model.ts'
import type { ListedNode } from './nodes.service.ts'

export const presentNode = (node: ListedNode): AdminNode => ({
  name: node.name,
  host: node.host,
  pid: node.pid,
  address: node.address,
  version: node.version,
  schema: node.schema,
  workers: node.workers,
  state: node.isGone ? 'gone' : 'running',
  started_at: wireTime(node.started_at),
  heartbeat_at: wireTime(node.heartbeat_at),
  clock_offset: node.clock_offset,
})
