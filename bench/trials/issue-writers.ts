import { fdatasyncSync, openSync, closeSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { callApi, tokenHeaders } from '../api.ts'
import { smallRepo } from '../data/fill.ts'
import type { Figure, Trial } from '../figure.ts'
import { median } from '../load/load.ts'
import { sendCosted } from '../load/yardsticks.ts'
import type { Run } from '../run.ts'

const WRITERS = 64
/** Duration at the full scale, in seconds; the default scale takes a sixth. */
const SECONDS = 60
const FULL_SCALE = 1
const MIN_SECONDS = 10
const PAGE_BYTES = 4096
const SAMPLES = 200
const NAMES = {
  alone: 'issues: created one by one',
  p99: 'issues: p99 of 64 writers on one repository',
  failed: 'issues: refused by 64 writers',
  numbers: 'issues: numbers missing or given twice after 64 writers',
  cpu: 'issues: CPU time of one of 64 writers',
} as const
const MAX = { alone: 1 / 0.7, p99: 250, failed: 0, numbers: 0 } as const

/** Issues created one by one, compared with durable writes of the disk, and by many writers at once. */
export const issueWriters: Trial = {
  names: Object.values(NAMES),
  needs: 'site',
  async run(run) {
    if (run.own === undefined) return []
    return [await measureAlone(run), ...(await measureMany(run))]
  },
}

const creation = ({ target, seed }: Run, n: number) => ({
  method: 'POST',
  url: `${target.url}/api/v1/repos/${target.login}/${smallRepo(seed.prefix, n)}/issues`,
  headers: { ...tokenHeaders(target), 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'One of many', body: 'Written by many at the same moment.' }),
})

async function measureAlone(run: Run): Promise<Figure> {
  const disk = measureDisk(run.own!.dataDir)
  const load = { connections: 1, seconds: Math.max(2, run.options.seconds), call: creation(run, 1) }
  const { p50, failures } = await run.generator.send(load)
  return {
    name: NAMES.alone,
    measured: failures === 0 ? p50 : undefined,
    unit: 'ms',
    beside: { name: 'a durable page', value: disk },
    max: MAX.alone,
  }
}

/** Median ms to append a page to a file and wait until the disk has it, as one commit has to. */
function measureDisk(dir: string): number {
  const file = openSync(join(dir, 'bench-disk'), 'w')
  try {
    const page = Buffer.alloc(PAGE_BYTES, 1)
    const times = Array.from({ length: SAMPLES }, () => {
      const begin = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      return performance.now() - begin
    })
    return median(times)
  } finally {
    closeSync(file)
  }
}

async function measureMany(run: Run): Promise<Figure[]> {
  const { generator, options, own } = run
  const seconds = Math.max(MIN_SECONDS, (SECONDS * options.scale) / FULL_SCALE)
  const call = creation(run, 2)
  const load = await sendCosted(generator, { connections: WRITERS, seconds, call }, own!.pids)
  return [
    { name: NAMES.p99, measured: load.p99, unit: 'ms', max: MAX.p99 },
    { name: NAMES.failed, measured: load.failures, unit: 'requests', max: MAX.failed },
    { name: NAMES.cpu, measured: load.cpu! / 1000, unit: 'ms' },
    { name: NAMES.numbers, measured: await countWrongNumbers(run, call.url), unit: 'requests', max: MAX.numbers },
  ]
}

/** The highest number must be the count of issues, of which each number is one; oldest first, as late ones may come. */
async function countWrongNumbers({ target }: Run, url: string): Promise<number> {
  const path = `${url.slice(`${target.url}/api/v1`.length)}?state=all&sort=oldest&limit=50`
  const headers = tokenHeaders(target)
  const seen = new Set<number>()
  let count = 0
  for (let page = 1; ; page++) {
    const { status, body } = await callApi(target.url, { path: `${path}&page=${page}`, headers })
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    const issues = body as { readonly number: number }[]
    for (const { number } of issues) seen.add(number)
    count += issues.length
    if (issues.length === 0) return Math.max(0, ...seen) - seen.size + (count - seen.size)
  }
}
