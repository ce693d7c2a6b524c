import { fileURLToPath } from 'node:url'
import { performance } from 'node:perf_hooks'
import { cpuOfEndedChildren } from '../system/process-tree.ts'
import type { TempDir } from '../system/processes.ts'
import type { Call, Load } from './load.ts'

/** Share of its thread's time above which the generator, and not the server, limits the rate. */
export const GENERATOR_LIMIT = 0.9
export const WRK_MISSING =
  'wrk is not installed (Debian: apt install wrk): the Node client sends the load, which limits the rate, so no ratio to H is printed'

const REPORT = fileURLToPath(new URL('./wrk-report.lua', import.meta.url))
const MIX = fileURLToPath(new URL('./wrk-mix.lua', import.meta.url))
const TIMEOUT_SECONDS = 30

interface Report {
  readonly duration: number
  readonly requests: number
  readonly refused: number
  readonly broken: number
  readonly p50: number
  readonly p99: number
}

export async function hasWrk(tempDir: TempDir): Promise<boolean> {
  return tempDir.read('sh', ['-c', 'command -v wrk']).then(
    () => true,
    () => false,
  )
}

/** The load of one thread of wrk, which sends the same request again and again; wrk counts whole seconds. */
export async function applyWrk(
  tempDir: TempDir,
  { seconds, connections, call }: { seconds: number; connections: number; call: Call },
): Promise<Load & { generatorShare: number }> {
  const headers = Object.entries(call.headers).flatMap(([name, value]) => ['-H', `${name}: ${String(value)}`])
  const cpuBefore = cpuOfEndedChildren()
  const begin = performance.now()
  const plan = ['-t1', `-c${connections}`, `-d${Math.max(1, Math.round(seconds))}s`]
  const output = await tempDir.read(
    'wrk',
    [...plan, '--timeout', `${TIMEOUT_SECONDS}s`, '-s', REPORT, ...headers, call.url],
    call.body === undefined ? {} : { env: { BENCH_METHOD: call.method, BENCH_BODY: call.body } },
  )
  const wall = performance.now() - begin
  return { ...readReport(output), generatorShare: (cpuOfEndedChildren() - cpuBefore) / wall }
}

interface MixedReads {
  readonly url: string
  readonly seconds: number
  readonly connections: number
  /** Paths in the API, of which each read takes a random one. */
  readonly paths: readonly string[]
  readonly tokens: readonly string[]
}

/** The load of one thread of wrk, which reads random addresses with random tokens. */
export async function applyWrkMix(tempDir: TempDir, reads: MixedReads): Promise<Load> {
  const { url, seconds, connections, paths, tokens } = reads
  const plan = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', `${TIMEOUT_SECONDS}s`, '-s', MIX, url]
  const env = {
    BENCH_PATHS: paths.map((path) => `/api/v1${path}`).join('\n'),
    BENCH_TOKENS: tokens.join('\n'),
    BENCH_REPORT: REPORT,
  }
  return readReport(await tempDir.read('wrk', plan, { env }))
}

function readReport(output: string): Load {
  const report = JSON.parse(output.trim().split('\n').at(-1)!) as Report
  return {
    perSecond: report.requests / (report.duration / 1e6),
    p50: report.p50 / 1000,
    p99: report.p99 / 1000,
    requests: report.requests,
    failures: report.refused + report.broken,
  }
}
