import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { callApi, gitLogin, requireApi, tokenHeaders } from '../api.ts'
import { commitOn } from '../data/commits.ts'
import type { Figure } from '../figure.ts'
import { median, pace } from '../load/load.ts'
import { gitUrl, type Run } from '../run.ts'
import { cpuOf } from '../system/process-tree.ts'
import { BASES, HEADS, planPulls, PUSHED } from './plan.ts'
import { COUNTS, createPull, LAST, type MadePull, pathOf } from './setup.ts'

const PATIENCE_MS = 600_000
const PUSHES = 9
/** Number of pull requests for which the time of a check of all open ones is reported. */
const CHECKED = 1000

export const MERGE_STYLES = ['merge', 'squash', 'rebase', 'rebase-merge', 'fast-forward-only'] as const
export type MergeStyle = (typeof MERGE_STYLES)[number]

/** Creates `count` pull requests from the branches of a trial, numbered from `from`. */
export async function createPulls(run: Run, style: MergeStyle, from: number, count: number): Promise<number[]> {
  const numbers: number[] = []
  for (let i = from; i < from + count; i++) {
    // NOTE: not into `main`, because all its other pull requests would be checked again concurrently.
    const base = style === 'fast-forward-only' ? `${BASES.forward}-${i}` : `${BASES.merged}-0`
    numbers.push((await createPull(run, `${HEADS[style]}-${i}`, base)).number)
  }
  return numbers
}

interface Names {
  readonly wall: string
  readonly cpu: string
}

/** Runs each of the works in turn: median wall time, and mean CPU time of the server's process tree. */
async function costFigures(
  { own }: Run,
  names: Names,
  max: number,
  works: readonly (() => Promise<boolean>)[],
): Promise<Figure[]> {
  const times: number[] = []
  const before = cpuOf(own!.pids[0]!)
  let isGood = true
  for (const work of works) {
    const begin = performance.now()
    isGood = (await work()) && isGood
    times.push(performance.now() - begin)
  }
  const cpu = (cpuOf(own!.pids[0]!) - before) / works.length
  return [
    { name: names.wall, measured: isGood ? median(times) : undefined, unit: 'ms', max },
    { name: names.cpu, measured: isGood ? cpu : undefined, unit: 'ms' },
  ]
}

/** The answer to a creation, and how long after it the pull request says whether it can be merged. */
export async function creationFigures(
  run: Run,
  names: Names & { readonly known: string },
  { create, known }: { readonly create: number; readonly known: number },
): Promise<Figure[]> {
  const waits: number[] = []
  const works = Array.from({ length: LAST.countedCreate }, (_, i) => async () => {
    const { number, mergeable } = await createPull(run, `${HEADS.create}-${i}`)
    const begin = performance.now()
    // NOTE: a part of the time of the creation too, where the answer does not say it.
    if (!mergeable) await untilMergeable(run, number)
    waits.push(performance.now() - begin)
    return true
  })
  const figures = await costFigures(run, names, create, works)
  return [...figures, { name: names.known, measured: median(waits), unit: 'ms', max: known }]
}

export async function mergeFigures(
  run: Run,
  style: MergeStyle,
  { names, max, count }: { readonly names: Names; readonly max: number; readonly count: number },
): Promise<Figure[]> {
  const numbers = await createPulls(run, style, 0, count)
  for (const number of numbers) await untilMergeable(run, number)
  return costFigures(
    run,
    names,
    max,
    numbers.map((number) => async () => (await mergePull(run, number, style)) === 200),
  )
}

export async function mergePull(run: Run, number: number, style: MergeStyle): Promise<number> {
  const request = { path: `${pathOf(run)}/pulls/${number}/merge`, headers: tokenHeaders(run.target) }
  const { status } = await callApi(run.target.url, { ...request, method: 'POST', body: { Do: style } })
  return status
}

export async function untilMergeable(run: Run, number: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  const path = `${pathOf(run)}/pulls/${number}`
  for (;;) {
    const pull = await requireApi<MadePull>(run.target.url, { path, headers: tokenHeaders(run.target) })
    if (pull.mergeable) return
    if (performance.now() > end) throw new Error(`pull request ${number} was not checked in ${PATIENCE_MS} ms`)
    await sleep(20)
  }
}

/**
 * CPU time until all open pull requests are checked again after their base moved, and how long others wait during it.
 */
export async function recheckFigures(run: Run, names: Names & { readonly others: string }): Promise<Figure[]> {
  const { target, options, own } = run
  const pid = own!.pids[0]!
  const last = (await createPull(run, `${HEADS.create}-${LAST.recheck}`)).number
  const move = async (): Promise<void> => {
    await requireApi(target.url, {
      method: 'POST',
      path: `${pathOf(run)}/contents/moved-base.txt`,
      headers: tokenHeaders(target),
      body: { content: '', message: 'Move the base', branch: 'main' },
    })
    await untilMergeable(run, last)
  }
  const next = () => ({ method: 'GET', url: `${target.url}/api/v1/user`, headers: tokenHeaders(target) })
  const quiet = await pace(next, sleep(2000))
  const before = cpuOf(pid)
  const begin = performance.now()
  const { p99 } = await pace(next, move())
  const wall = performance.now() - begin
  const scale = CHECKED / planPulls(options).open
  return [
    { name: names.cpu, measured: (cpuOf(pid) - before) * scale, unit: 'ms', max: 60_000 },
    { name: names.wall, measured: wall * scale, unit: 'ms' },
    { name: names.others, measured: p99, unit: 'ms', beside: { name: 'quiet', value: quiet.p99 } },
  ]
}

/** Pushes to a head of many open pull requests and to a branch of none, in turn. */
export async function pushFigures(run: Run, names: Names, max: number): Promise<Figure[]> {
  const { busy, idle } = PUSHED
  for (let i = 0; i < COUNTS.busyBases; i++) await createPull(run, busy, `${BASES.busy}-${i}`)
  const times = { [busy]: [] as number[], [idle]: [] as number[] }
  for (let i = 0; i < PUSHES; i++)
    for (const branch of [idle, busy]) {
      times[branch].push(await pushCommit(run, branch, i))
      await sleep(300)
    }
  const figure = { name: names.wall, measured: median(times[busy]), unit: 'ms', max } as const
  return [{ ...figure, beside: { name: 'without pull requests', value: median(times[idle]) } }]
}

async function pushCommit(run: Run, branch: string, i: number): Promise<number> {
  const { tempDir, large, target, seed } = run
  await commitOn(tempDir, large.path, { file: `pushed/${branch}.txt`, text: `${i}`, branch })
  return tempDir.run('git', ['push', '--quiet', gitUrl(run, seed.large), `${branch}:${branch}`], {
    cwd: large.path,
    env: gitLogin(target),
  })
}
