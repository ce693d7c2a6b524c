import { performance } from 'node:perf_hooks'
import { callApi, tokenHeaders } from '../api.ts'
import type { Figure } from '../figure.ts'
import { median } from '../load/load.ts'
import { measureBare, sendCosted } from '../load/yardsticks.ts'
import { say, type Run } from '../run.ts'
import { shortNumber } from '../table.ts'
import { pathOf } from './setup.ts'

const BARE_SECONDS = 1

interface Read {
  readonly name: string
  readonly path: string
  /** Lowest share of H. */
  readonly min: number
}

/** What a read reaches of the bare server measured just before it, by the CPU time of both. */
export async function readFigure(run: Run, { name, path, min }: Read): Promise<Figure> {
  const { generator, bare, options, own, target } = run
  const { connections, seconds } = options
  const call = { method: 'GET', url: `${target.url}/api/v1${pathOf(run)}${path}`, headers: tokenHeaders(target) }
  const yard = await measureBare(generator, bare, { seconds: BARE_SECONDS, connections })
  await generator.send({ seconds: 1, connections, call })
  const load = await sendCosted(generator, { seconds, connections, call }, own?.pids)
  const isKnown = load.failures === 0 && yard.cpu !== undefined && load.cpu !== undefined
  say(
    `${name}: ${shortNumber(load.perSecond)}/s, ${shortNumber(load.cpu)} us of CPU, bare ${shortNumber(yard.perSecond)}/s, ${shortNumber(yard.cpu)} us`,
  )
  return { name, measured: isKnown ? yard.cpu! / load.cpu! : undefined, unit: 'H', min }
}

/** Each path is asked for the first time. */
export async function coldFigure(run: Run, name: string, paths: readonly string[], max: number): Promise<Figure> {
  const times: number[] = []
  for (const path of paths) {
    const begin = performance.now()
    const { status } = await callApi(run.target.url, {
      path: `${pathOf(run)}${path}`,
      headers: tokenHeaders(run.target),
    })
    if (status !== 200) return { name, measured: undefined, unit: 'ms', max }
    times.push(performance.now() - begin)
  }
  return { name, measured: median(times), unit: 'ms', max }
}
