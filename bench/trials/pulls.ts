import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { callApi, requireApi, tokenHeaders } from '../api.ts'
import type { Figure, Trial } from '../figure.ts'
import { applyLoad, median } from '../load/load.ts'
import type { Run } from '../run.ts'
import { cpuOf } from '../system/process-tree.ts'

const NAMES = {
  create: 'create a pull request, large repository',
  list: 'pulls?limit=20, fresh',
  one: 'one pull request',
  recheck: 'check of 1,000 pull requests after their base moved, CPU',
  squash: 'merge by squash, large repository',
  merge: 'merge by a merge commit, large repository',
  rebase: 'merge by rebase, large repository',
} as const
const PULLS_AT_FULL_SCALE = 1000
const MIN = 20
const MERGES = 5
const MAX = { create: 50, merge: 150, recheck: 60_000 } as const
const PATIENCE_MS = 300_000

/** Pull requests into the default branch of the large repository, each with a commit of its own. */
export const pulls: Trial = {
  names: Object.values(NAMES),
  needs: 'large',
  async run(run) {
    const numbers: number[] = []
    const times: number[] = []
    const wanted = Math.max(MIN, Math.round(PULLS_AT_FULL_SCALE * run.options.scale))
    for (let i = 0; i < wanted; i++) {
      const branch = `pull-${i}`
      await commit(run, { path: `pulls/${branch}.txt`, message: branch, branch: 'main', new_branch: branch })
      const begin = performance.now()
      const { number } = await post<{ number: number }>(run, '/pulls', { head: branch, base: 'main', title: branch })
      times.push(performance.now() - begin)
      numbers.push(number)
    }
    const figures: Figure[] = [{ name: NAMES.create, measured: median(times), unit: 'ms', max: MAX.create }]
    figures.push(await readFigure(run, NAMES.list, '/pulls?limit=20&state=open'))
    figures.push(await readFigure(run, NAMES.one, `/pulls/${numbers[0]!}`))
    figures.push(await recheckFigure(run, numbers))
    for (const [name, style] of [
      [NAMES.squash, 'squash'],
      [NAMES.merge, 'merge'],
      [NAMES.rebase, 'rebase'],
    ] as const)
      figures.push({
        name,
        measured: await mergeTime(run, numbers.splice(0, MERGES), style),
        unit: 'ms',
        max: MAX.merge,
      })
    return figures
  },
}

const pathOf = ({ target, seed }: Run): string => `/repos/${target.login}/${seed.large}`

const post = <T>(run: Run, path: string, body: object): Promise<T> =>
  requireApi<T>(run.target.url, { method: 'POST', path: pathOf(run) + path, headers: tokenHeaders(run.target), body })

const commit = (run: Run, { path, ...body }: Readonly<Record<string, string>>): Promise<unknown> =>
  post(run, `/contents/${path!}`, { ...body, content: Buffer.from(path!).toString('base64') })

async function readFigure(run: Run, name: string, path: string): Promise<Figure> {
  const { target } = run
  const url = `${target.url}/api/v1${pathOf(run)}${path}`
  const next = () => ({ method: 'GET', url, headers: tokenHeaders(target) })
  const { p50, failures } = await applyLoad({ seconds: 1, connections: 1, next })
  return { name, measured: failures === 0 ? p50 : undefined, unit: 'ms' }
}

/** CPU time until all of them can be merged again, for 1,000. */
async function recheckFigure(run: Run, numbers: readonly number[]): Promise<Figure> {
  const { own } = run
  const pid = own?.pids[0]
  const before = pid === undefined ? 0 : cpuOf(pid)
  await commit(run, { path: 'pulls/base.txt', message: 'Move the base', branch: 'main' })
  await Promise.all([untilMergeable(run, numbers[0]!), untilMergeable(run, numbers.at(-1)!)])
  const used = pid === undefined ? undefined : ((cpuOf(pid) - before) * PULLS_AT_FULL_SCALE) / numbers.length
  return { name: NAMES.recheck, measured: used, unit: 'ms', max: MAX.recheck }
}

async function untilMergeable(run: Run, number: number): Promise<void> {
  const end = performance.now() + PATIENCE_MS
  const path = `${pathOf(run)}/pulls/${number}`
  for (;;) {
    const pull = await requireApi<{ mergeable: boolean }>(run.target.url, { path, headers: tokenHeaders(run.target) })
    if (pull.mergeable) return
    if (performance.now() > end) throw new Error(`pull request ${number} was not checked in ${PATIENCE_MS} ms`)
    await sleep(100)
  }
}

/** The p50 of merges one after the other; undefined where the server refuses them. */
async function mergeTime(run: Run, numbers: readonly number[], style: string): Promise<number | undefined> {
  const times: number[] = []
  for (const number of numbers) {
    await untilMergeable(run, number)
    const begin = performance.now()
    const request = { path: `${pathOf(run)}/pulls/${number}/merge`, headers: tokenHeaders(run.target) }
    const { status } = await callApi(run.target.url, { ...request, method: 'POST', body: { Do: style } })
    if (status !== 200) return undefined
    times.push(performance.now() - begin)
  }
  return median(times)
}
