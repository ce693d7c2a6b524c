import type { Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import { startOwn } from '../system/target.ts'

const NAME = 'start to first answer'
const STARTS = 5
const MAX_MS = 1000

/** Ends the server and starts it again on the same data. */
export const starts: Trial = {
  names: [NAME],
  needs: 'site',
  async run({ tempDir, own }) {
    const times: number[] = []
    await (own && tempDir.stop(own.server.child))
    for (let i = 0; own && i < STARTS; i++) {
      const { child, firstAnswerMs } = await startOwn(tempDir, own)
      times.push(firstAnswerMs)
      await tempDir.stop(child)
    }
    return [{ name: NAME, measured: own && median(times), unit: 'ms', max: MAX_MS }]
  },
}
