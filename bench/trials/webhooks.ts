import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireApi, tokenHeaders } from '../api.ts'
import { smallRepo } from '../data/fill.ts'
import type { Figure, Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import type { Run } from '../run.ts'

const NAMES = {
  all: 'webhooks: 10,000 deliveries to 100 webhooks, by scale',
  wrong: 'webhooks: deliveries lost or out of order',
  first: 'webhooks: from the answer to a write to the first byte',
  dead: 'webhooks: the same, with a dead receiver among 100',
} as const
const HOOKS = 100
const EVENTS = 100
const ANSWER_MS = 5
const MOST_MS = 60_000
const MOST_FIRST_MS = 100
const MOST_TIMES_DEAD = 1.5
const PATIENCE_MS = 180_000
const SAMPLES = 9

interface Arrival {
  readonly path: string
  readonly title: string
  readonly at: number
}

/** Deliveries of issues to a receiver that answers after 5 ms, and beside one that never answers. */
export const webhooks: Trial = {
  names: Object.values(NAMES),
  needs: 'site',
  async run(run) {
    if (run.own === undefined)
      return Object.values(NAMES).map((name): Figure => ({ name, measured: undefined, unit: 'ms' }))
    const arrivals: Arrival[] = []
    const receiver = await listen(arrivals)
    const dead = createServer(() => {})
    await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve))
    try {
      const repo = smallRepo(run.seed.prefix, 0)
      const hooks = `/repos/${run.target.login}/${repo}/hooks`
      const ids: number[] = []
      for (let n = 0; n < HOOKS; n++) ids.push(await makeHook(run, hooks, `${urlOf(receiver)}/${n}`))
      const events = Math.max(5, Math.round(EVENTS * run.options.scale))
      const begin = performance.now()
      const titles: string[] = []
      for (let n = 0; n < events; n++) titles.push((await makeIssue(run, repo)).title)
      const complete = await until(arrivals, events * HOOKS)
      const ms = performance.now() - begin
      const wrong = countWrong(arrivals, titles)
      const delay = await firstByte(run, repo, arrivals)
      await call(run, 'PATCH', `${hooks}/${ids[0]!}`, {
        active: true,
        events: ['issues'],
        config: { url: urlOf(dead) },
      })
      const besideDead = await firstByte(run, repo, arrivals)
      for (const id of ids) await call(run, 'DELETE', `${hooks}/${id}`)
      return [
        { name: NAMES.all, measured: complete ? ms : undefined, unit: 'ms', most: MOST_MS },
        { name: NAMES.wrong, measured: wrong, unit: 'deliveries', most: 0 },
        { name: NAMES.first, measured: delay, unit: 'ms', most: MOST_FIRST_MS },
        {
          name: NAMES.dead,
          measured: besideDead,
          unit: 'ms',
          beside: { name: 'all alive', value: delay },
          most: MOST_TIMES_DEAD,
        },
      ]
    } finally {
      for (const server of [receiver, dead]) {
        server.closeAllConnections()
        server.close()
      }
    }
  },
}

async function listen(arrivals: Arrival[]): Promise<Server> {
  const server = createServer(async (request, response) => {
    const at = performance.now()
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { issue } = JSON.parse(body) as { issue: { title: string } }
    arrivals.push({ path: request.url!, title: issue.title, at })
    setTimeout(() => response.end(), ANSWER_MS)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const call = <T>({ target }: Run, method: string, path: string, body?: object): Promise<T> =>
  requireApi<T>(target.url, { method, path, headers: tokenHeaders(target), body })

async function makeHook(run: Run, path: string, url: string): Promise<number> {
  const config = { url, content_type: 'json' }
  const { id } = await call<{ id: number }>(run, 'POST', path, {
    type: 'gitea',
    active: true,
    events: ['issues_only'],
    config,
  })
  return id
}

async function makeIssue(run: Run, repo: string): Promise<{ title: string; answeredAt: number }> {
  const title = `webhook ${performance.now()}`
  await call(run, 'POST', `/repos/${run.target.login}/${repo}/issues`, { title })
  return { title, answeredAt: performance.now() }
}

async function until(arrivals: readonly Arrival[], count: number): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS
  while (arrivals.length < count && performance.now() < end) await sleep(20)
  return arrivals.length >= count
}

/** Compares what each webhook got with all titles. */
function countWrong(arrivals: readonly Arrival[], titles: readonly string[]): number {
  const got = Map.groupBy(arrivals, ({ path }) => path)
  let wrong = 0
  for (let n = 0; n < HOOKS; n++) {
    const names = (got.get(`/${n}`) ?? []).map(({ title }) => title)
    wrong += titles.filter((title, index) => names[index] !== title).length
  }
  return wrong
}

/** Median milliseconds from the answer to the first delivery. */
async function firstByte(run: Run, repo: string, arrivals: Arrival[]): Promise<number> {
  const delays: number[] = []
  for (let n = 0; n < SAMPLES; n++) {
    arrivals.length = 0
    const { answeredAt } = await makeIssue(run, repo)
    await until(arrivals, HOOKS - 1)
    delays.push(Math.max(0, arrivals[0]!.at - answeredAt))
    await sleep(200)
  }
  return median(delays)
}
