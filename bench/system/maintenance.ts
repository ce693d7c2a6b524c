import { setTimeout as sleep } from 'node:timers/promises'
import { requireApi, tokenHeaders } from '../api.ts'
import { say, type Run } from '../run.ts'
import { cpuOf, treeOf } from './process-tree.ts'

const MAINTENANCE = /^(?:\S*\/)?git\b.* (?:repack|pack-objects|commit-graph|pack-refs|multi-pack-index)\b/
const POLL_MS = 200
const PATIENCE_MS = 15 * 60_000
const PATIENCE_WITH_OTHERS_MS = 60_000

/** The server packs ten seconds after the last push; after this long without a sign of it there was nothing to pack. */
const BEGIN_MS = 20_000
const QUIET_MS = 2_000
/** Share of one processor that timers and polls of an idle server use. */
const IDLE_SHARE = 0.1

/**
 * Waits until the server is done with what it does after a large push: its children have packed, none packs any
 * more, and it computes nothing. A server that the run did not start shows the size alone, and may never show one.
 */
export async function waitForMaintenance(run: Run): Promise<void> {
  const begin = performance.now()
  const seconds = (): number => Math.round((performance.now() - begin) / 1000)
  say('waiting for the maintenance after the push')
  const isOver = run.own === undefined ? await hasSize(run, begin) : await isPacked(run.own.server.child.pid!, begin)
  say(
    isOver
      ? `maintenance over after ${seconds()} s`
      : 'the maintenance was not over in time: figures of the large repository may be worse than they are after it',
  )
}

const IDLE_MS = 1_000

/** Waits until a server that just started is done with looking at what it has. */
export async function waitForIdle(pid: number): Promise<void> {
  const end = performance.now() + PATIENCE_WITH_OTHERS_MS
  for (let last = cpuOf(pid); performance.now() < end;) {
    await sleep(IDLE_MS)
    const now = cpuOf(pid)
    if (now - last < IDLE_MS * IDLE_SHARE) return
    last = now
  }
  say('the server was not idle in time: figures may be worse than they are')
}

const SETTLE_MS = 15_000

/**
 * A time without requests, as idle servers have it: what is idle then counts, not what the last request was about to
 * leave.
 */
export const settle = (): Promise<void> => sleep(SETTLE_MS)

async function isPacked(pid: number, begin: number): Promise<boolean> {
  let [lastBusy, cpu]: [number | undefined, number] = [undefined, cpuOf(pid)]
  for (let now = begin; now < begin + PATIENCE_MS; now = performance.now()) {
    const used = cpuOf(pid) - cpu
    cpu += used
    if (treeOf(pid).some(({ command }) => MAINTENANCE.test(command))) lastBusy = now
    // Between its processes of git the server itself writes what it keeps of the history.
    else if (lastBusy !== undefined && used > POLL_MS * IDLE_SHARE) lastBusy = now
    if (now - (lastBusy ?? begin) > (lastBusy === undefined ? BEGIN_MS : QUIET_MS)) return true
    await sleep(POLL_MS)
  }
  return false
}

async function hasSize({ target, seed }: Run, begin: number): Promise<boolean> {
  while (performance.now() < begin + PATIENCE_WITH_OTHERS_MS) {
    const { size } = await requireApi<{ size: number }>(target.url, {
      path: `/repos/${target.login}/${seed.large}`,
      headers: tokenHeaders(target),
    })
    if (size > 0) return true
    await sleep(POLL_MS)
  }
  return false
}
