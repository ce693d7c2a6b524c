import { performance } from 'node:perf_hooks'
import { requireApi, tokenHeaders } from '../api.ts'
import { signUp } from '../data/fill.ts'
import { getter } from '../endpoints.ts'
import type { Call } from '../load/load.ts'
import { isChosen, type Options } from '../options.ts'
import { say } from '../run.ts'
import { waitForIdle } from '../system/maintenance.ts'
import { cpuOf } from '../system/process-tree.ts'
import type { TempDir } from '../system/processes.ts'
import { startOwn, type OwnServer } from '../system/target.ts'
import { drawTable, shortNumber, yesNo } from '../table.ts'
import { post, type Attack, type Stage } from './attack.ts'
import { ATTACKS } from './index.ts'
import { statusOf } from './status.ts'
import { watchCaller, watchMemory } from './watch.ts'

/** What an attack did to others. Times in ms, memory in MB. */
export interface Stall {
  readonly attack: Pick<Attack, 'name' | 'who' | 'beside'>
  /** The different statuses of its answers; 0 for a broken connection, -1 for none in a minute. */
  readonly statuses: readonly number[]
  readonly answered: number
  readonly longestVersion: number
  readonly longestBeside: number | undefined
  readonly memory: number
  readonly cpu: number | undefined
  readonly isAlive: boolean
}

const REPO = 'attacked'
const LIMITS = { wait: 100, memory: 300 }
const SHOWN = 20
/** A caller needs some answers before the attack and after it. */
const AROUND_MS = 300

/** The attacks that `--only` names: only those who ask for stalls get them. */
export const chosenAttacks = (options: Options): readonly Attack[] =>
  options.only?.source.includes('stall') ? ATTACKS.filter(({ name }) => isChosen(options, `stalls: ${name}`)) : []

export async function measureStalls(tempDir: TempDir, attacks: readonly Attack[]): Promise<Stall[]> {
  const dataDir = `${tempDir.dir}/stalls`
  let server = await startOwn(tempDir, { dataDir })
  const account = await signUp(server)
  await requireApi(server.url, {
    method: 'POST',
    path: '/user/repos',
    headers: tokenHeaders(account),
    body: { name: REPO, auto_init: true, default_branch: 'main' },
  })
  const stalls: Stall[] = []
  for (const attack of attacks) {
    const stage = { tempDir, dataDir, repo: `${account.login}/${REPO}`, target: { ...account, url: server.url } }
    await waitForIdle(server.child.pid!)
    const stall = await measureStall(attack, stage, server)
    say(`${attack.name}: /version waited ${shortNumber(stall.longestVersion)} ms, ${shortNumber(stall.memory)} MB`)
    stalls.push(stall)
    // The next attack gets a new server: this one may have grown or have been killed.
    await tempDir.stop(server.child)
    server = await startOwn(tempDir, { dataDir })
  }
  await tempDir.stop(server.child)
  return stalls.toSorted((a, b) => badness(b) - badness(a))
}

const badness = ({ isAlive, longestVersion, longestBeside }: Stall): number =>
  isAlive ? Math.max(longestVersion, longestBeside ?? 0) : Infinity

async function measureStall(attack: Attack, stage: Stage, { child }: OwnServer): Promise<Stall> {
  await attack.prepare?.(stage)
  const calls = attack.requests(stage)
  const besideRequest = attack.beside && besideCall(attack.beside, stage)
  if (besideRequest) {
    // What the first request of its kind loads or starts is no work of the attack.
    await statusOf(besideRequest)
    await waitForIdle(child.pid!)
  }
  const release = await attack.hold?.(stage)
  const cpuBefore = cpuOf(child.pid!)
  const memory = watchMemory(child.pid!)
  const version = await watchCaller(getter(stage.target)('/version', {})())
  const beside = besideRequest && (await watchCaller(besideRequest))
  await pause()
  const begin = performance.now()
  const statuses = await Promise.all(calls.map(statusOf))
  const answered = performance.now() - begin
  await release?.()
  await pause()
  const isAlive = child.exitCode === null && child.signalCode === null
  const { name, who } = attack
  return {
    attack: { name, who, ...(attack.beside && { beside: attack.beside }) },
    statuses: [...new Set(statuses)].toSorted((a, b) => a - b),
    answered,
    longestVersion: await version.end(),
    longestBeside: await beside?.end(),
    memory: memory.end(),
    cpu: isAlive ? cpuOf(child.pid!) - cpuBefore : undefined,
    isAlive,
  }
}

const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, AROUND_MS))

/** NOTE: of the account: renderings of the attack's address are one caller, whose tasks run one after the other. */
const besideCall = (beside: 'file' | 'rendering', stage: Stage): Call =>
  beside === 'file'
    ? getter(stage.target)(`/repos/${stage.repo}/raw/README.md`)()
    : post(stage, '/markdown/raw', { type: 'text/plain', body: 'hi', token: stage.target.token })

export function drawStalls(stalls: readonly Stall[]): string {
  const head = ['attack', 'who', 'status', 'answered ms', '/version waited', 'beside waited', 'MB', 'CPU ms', 'reached']
  const rows = stalls
    .slice(0, SHOWN)
    .map((stall) => [
      stall.attack.name,
      stall.attack.who,
      stall.isAlive ? stall.statuses.join(' ') : 'server died',
      shortNumber(stall.answered),
      shortNumber(stall.longestVersion),
      stall.longestBeside === undefined ? '' : `${stall.attack.beside} ${shortNumber(stall.longestBeside)}`,
      shortNumber(stall.memory),
      shortNumber(stall.cpu),
      yesNo(stall.isAlive && badness(stall) <= LIMITS.wait && stall.memory <= LIMITS.memory),
    ])
  return `Worst ${rows.length} of ${stalls.length}; others wait at most ${LIMITS.wait} ms, memory at most ${LIMITS.memory} MB\n\n${drawTable(head, rows)}`
}
