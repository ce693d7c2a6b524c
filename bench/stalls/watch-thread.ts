import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Call } from '../load/load.ts'
import { statusOf } from './status.ts'

/** The thread of `watchCaller`: posts a message after the first answer; when it gets one, the longest answer, ms. */
const PACE_MS = 10
const call = workerData as Call
const port = parentPort!
let [isOver, longest] = [false, 0]
port.once('message', () => (isOver = true))
// What the first request loads and connects is no work of the attack.
await statusOf(call)
port.postMessage('ready')
while (!isOver) {
  const sent = performance.now()
  await statusOf(call)
  longest = Math.max(longest, performance.now() - sent)
  await sleep(PACE_MS)
}
port.postMessage(longest)
