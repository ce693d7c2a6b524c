import { setTimeout as sleep } from 'node:timers/promises'
import { requireApi, tokenHeaders } from './api.ts'
import { say, type Place } from './place.ts'
import { treeOf } from './process-tree.ts'

const MAINTENANCE = /^(?:\S*\/)?git\b.* (?:repack|pack-objects|commit-graph|pack-refs|multi-pack-index)\b/
const POLL_MS = 200
const PATIENCE_MS = 15 * 60_000
const PATIENCE_WITH_OTHERS_MS = 60_000

/**
 * Waits until the server is done with what it does after a large push: it has measured the repository, which comes last, and
 * none of its children packs. A server that the run did not start shows the size alone, and may never show one.
 */
export async function waitForMaintenance(place: Place): Promise<void> {
  const { target, stock, own } = place
  const path = `/repos/${target.login}/${stock.large}`
  const end = performance.now() + (own ? PATIENCE_MS : PATIENCE_WITH_OTHERS_MS)
  const begin = performance.now()
  say('waiting for the maintenance after the push')
  while (performance.now() < end) {
    const { size } = await requireApi<{ size: number }>(target.url, { path, headers: tokenHeaders(target) })
    const busy = own !== undefined && treeOf(own.server.child.pid!).some(({ command }) => MAINTENANCE.test(command))
    if (size > 0 && !busy) return say(`maintenance over after ${Math.round((performance.now() - begin) / 1000)} s`)
    await sleep(POLL_MS)
  }
  say('the maintenance was not over in time: figures of the large repository may be worse than they are after it')
}
