import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Call {
  readonly method: string
  readonly url: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: string
}

/** What a load measured; times in ms. */
export interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly requests: number
  /** Answers that were not 2xx. */
  readonly failures: number
}

export interface LoadPlan {
  readonly seconds: number
  readonly connections: number
  /** The next request; called for each, since some must differ. */
  next(): Call
}

const WARM_UP_SHARE = 0.2

/** Sends requests over kept connections, each as soon as the one before it is answered. */
export async function applyLoad(plan: LoadPlan): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.connections })
  try {
    await rush(agent, plan, plan.seconds * WARM_UP_SHARE)
    const { times, failures, elapsed } = await rush(agent, plan, plan.seconds)
    times.sort((a, b) => a - b)
    return {
      perSecond: times.length / elapsed,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      requests: times.length,
      failures,
    }
  } finally {
    agent.destroy()
  }
}

const PACE_MS = 10

/** Requests one after the other, a hundred a second at most, until the concurrent work is over. */
export async function pace(next: () => Call, work: Promise<unknown>): Promise<Pick<Load, 'p50' | 'p99' | 'failures'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  let failures = 0
  let over = false
  void work.catch(() => {}).then(() => (over = true))
  do {
    const sent = performance.now()
    const status = await exchange(agent, next())
    times.push(performance.now() - sent)
    if (status < 200 || status > 299) failures++
    await sleep(PACE_MS)
  } while (!over)
  agent.destroy()
  await work
  times.sort((a, b) => a - b)
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), failures }
}

async function rush(agent: Agent, plan: LoadPlan, seconds: number) {
  const times: number[] = []
  let failures = 0
  const begin = performance.now()
  const end = begin + seconds * 1000
  const work = async (): Promise<void> => {
    do {
      const sent = performance.now()
      const status = await exchange(agent, plan.next())
      times.push(performance.now() - sent)
      if (status < 200 || status > 299) failures++
    } while (performance.now() < end)
  }
  await Promise.all(Array.from({ length: plan.connections }, work))
  return { times, failures, elapsed: (performance.now() - begin) / 1000 }
}

function exchange(agent: Agent, call: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(call.url, { agent, method: call.method, headers: call.headers }, (answer) => {
      answer.on('error', reject)
      answer.on('end', () => resolve(answer.statusCode!))
      answer.resume()
    })
    sent.on('error', reject)
    sent.end(call.body)
  })
}

/** The value below which a share of the sorted numbers lies. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (values: readonly number[]): number =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
