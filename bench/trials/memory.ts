import type { Trial } from '../figure.ts'
import { settle } from '../system/maintenance.ts'
import { memoryOf } from '../system/process-tree.ts'

const NAMES = { idle: 'memory idle', after: 'memory after', peak: 'memory at its highest' } as const
const MAX = { idle: 130, after: 260, peak: 300 }

/**
 * Resident memory of the server's own process: just started on existing data, and after all that was measured before;
 * both after a while without requests.
 */
export const memory: Trial = {
  names: Object.values(NAMES),
  needs: 'site',
  async run({ own }) {
    await settle()
    const after = own && memoryOf(own.server.child.pid!)
    return [
      { name: NAMES.idle, measured: own?.memoryIdle, unit: 'MB', max: MAX.idle },
      { name: NAMES.after, measured: after?.now, unit: 'MB', max: MAX.after },
      { name: NAMES.peak, measured: after?.peak, unit: 'MB', max: MAX.peak },
    ]
  },
}
