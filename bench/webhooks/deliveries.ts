import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireApi, tokenHeaders } from '../api.ts'
import { median, pace } from '../load/load.ts'
import { watchMemory } from '../stalls/watch.ts'
import { cpuOf, memoryOf } from '../system/process-tree.ts'
import type { Target } from '../system/target.ts'
import type { Receiver } from './start-receiver.ts'

const HOOKS = 100
const SAMPLES = 9
const PATIENCE_MS = 180_000
const QUIET_MS = 300
/** Duration of the requests before the deliveries, which are compared with those during the deliveries. */
const BEFORE_MS = 3_000

/** The server and the receiver at which deliveries are measured. */
export interface HookStage {
  readonly target: Pick<Target, 'url' | 'login' | 'token'>
  readonly repo: string
  /** The server first, then that of its database: their CPU time is what deliveries cost. */
  readonly pids: readonly number[]
  readonly receiver: Receiver
}

/** Times in ms, memory in MB. */
interface DeliveryFigures {
  /** From the first event to the last delivery; undefined when some did not come in three minutes. */
  readonly all: number | undefined
  /** CPU time of a delivery, with its share of the event. */
  readonly cpu: number
  /** Deliveries lost, sent twice or out of order. */
  readonly wrong: number
  readonly p99: number
  readonly p99Before: number
  readonly memory: number
  /** Medians from the answer to the first byte at the receiver. */
  readonly afterCommit: number
  /** Medians from the answer to the last but one of 100 webhooks. */
  readonly afterIssue: number
  readonly besideSilent: number
}

/** Events for 100 webhooks of one repository, all at once, then one after the other. */
export async function measureDeliveries(stage: HookStage, events: number): Promise<DeliveryFigures> {
  const { receiver } = stage
  const ids: number[] = []
  ids.push(await makeHook(stage, { url: `${receiver.url}/0`, events: ['push'] }))
  const afterCommit = await delayOf(stage, 1, makeCommit)
  await deleteHooks(stage, ids)
  for (let n = 0; n < HOOKS; n++)
    ids.push(await makeHook(stage, { url: `${receiver.url}/${n}`, events: ['issues_only'] }))
  const bulk = await measureBulk(stage, events)
  const afterIssue = await delayOf(stage, HOOKS - 1, makeIssue)
  await call(stage, 'PATCH', `/hooks/${ids[0]!}`, { config: { url: receiver.silentUrl } })
  const besideSilent = await delayOf(stage, HOOKS - 1, makeIssue)
  await deleteHooks(stage, ids)
  return { ...bulk, afterCommit, afterIssue, besideSilent }
}

async function measureBulk(stage: HookStage, events: number) {
  const { receiver, pids } = stage
  const cpuOfAll = (): number => pids.reduce((sum, pid) => sum + cpuOf(pid), 0)
  await receiver.clear()
  const [cpuBefore, memoryBefore] = [cpuOfAll(), memoryOf(pids[0]!).now]
  const watch = watchMemory(pids[0]!)
  const begin = epoch()
  const titles = await makeIssues(stage, events)
  const arrivals = await receiver.waitFor(events * HOOKS, PATIENCE_MS)
  return {
    all: arrivals.count >= events * HOOKS ? arrivals.last - begin : undefined,
    cpu: (cpuOfAll() - cpuBefore) / (events * HOOKS),
    memory: watch.end() - memoryBefore,
    wrong: countWrong(arrivals.numbers, titles),
    ...(await measureBeside(stage, Math.ceil(events / 4))),
  }
}

/** Requests for the repository, first without deliveries and then during those of some events. */
async function measureBeside(stage: HookStage, events: number) {
  const { receiver, target, repo } = stage
  const next = () => ({
    method: 'GET',
    url: `${target.url}/api/v1/repos/${target.login}/${repo}`,
    headers: tokenHeaders(target),
  })
  const { p99: p99Before } = await pace(next, sleep(BEFORE_MS))
  await receiver.clear()
  await makeIssues(stage, events)
  const { p99 } = await pace(next, receiver.waitFor(events * HOOKS, PATIENCE_MS))
  return { p99, p99Before }
}

/** Compares what each webhook got with all titles. */
function countWrong(numbers: Readonly<Record<string, readonly number[]>>, titles: readonly number[]): number {
  let wrong = 0
  for (let n = 0; n < HOOKS; n++) {
    const got = numbers[`/${n}`] ?? []
    wrong += titles.filter((title, index) => got[index] !== title).length + Math.max(0, got.length - titles.length)
  }
  return wrong
}

/** Median from the answer until the request of the last of `count` deliveries has begun. */
async function delayOf(
  stage: HookStage,
  count: number,
  write: (stage: HookStage) => Promise<{ readonly answeredAt: number }>,
): Promise<number> {
  const delays: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    await stage.receiver.clear()
    const { answeredAt } = await write(stage)
    const { last } = await stage.receiver.waitFor(count, PATIENCE_MS)
    delays.push(Math.max(0, last - answeredAt))
    await sleep(QUIET_MS)
  }
  return median(delays)
}

const call = <T>({ target, repo }: HookStage, method: string, path: string, body?: object): Promise<T> =>
  requireApi<T>(target.url, {
    method,
    path: `/repos/${target.login}/${repo}${path}`,
    headers: tokenHeaders(target),
    body,
  })

const epoch = (): number => performance.timeOrigin + performance.now()

async function makeHook(
  stage: HookStage,
  { url, events }: { readonly url: string; readonly events: readonly string[] },
): Promise<number> {
  const config = { url, content_type: 'json', secret: 'secret' }
  const { id } = await call<{ id: number }>(stage, 'POST', '/hooks', { type: 'gitea', active: true, events, config })
  return id
}

async function deleteHooks(stage: HookStage, ids: number[]): Promise<void> {
  for (const id of ids.splice(0)) await call(stage, 'DELETE', `/hooks/${id}`)
}

let made = 0

async function makeIssue(stage: HookStage): Promise<{ readonly number: number; readonly answeredAt: number }> {
  const number = made++
  await call(stage, 'POST', '/issues', { title: `webhook ${number}` })
  return { number, answeredAt: epoch() }
}

/** One after the other; returns their numbers. */
async function makeIssues(stage: HookStage, count: number): Promise<number[]> {
  const numbers: number[] = []
  for (let n = 0; n < count; n++) numbers.push((await makeIssue(stage)).number)
  return numbers
}

async function makeCommit(stage: HookStage): Promise<{ readonly answeredAt: number }> {
  const content = Buffer.from('webhook').toString('base64')
  await call(stage, 'POST', `/contents/webhook-${made++}.txt`, { content })
  return { answeredAt: epoch() }
}
