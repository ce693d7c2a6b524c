import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { say } from '../run.ts'
import { shortNumber } from '../table.ts'
import { editRequest, type Stage } from './load.ts'

/** Seconds. */
interface FaultPlan {
  readonly seconds: number
  /** Between two kills of nodes. */
  readonly every: number
  /** A killed node is started again after this. */
  readonly away: number
  readonly postgresAt: number
  readonly postgresAway: number
  readonly s3At: number
  readonly s3Away: number
}

const EVERY_S = 30
const AWAY_S = 3
const POSTGRES_AWAY_S = 2
const S3_AWAY_S = 60
/** Shares of the run. */
const POSTGRES_AT = 0.45
const S3_AT = 0.75
const PROBE_MS = 20
const PROBE_DEADLINE_MS = 60_000

/**
 * A node is killed every 30 s, twice at least; PostgreSQL is away once, and so is the S3 server, for a sixth of short
 * runs.
 */
export function planFaults(seconds: number): FaultPlan {
  const every = Math.min(EVERY_S, seconds / 3)
  return {
    seconds,
    every,
    away: Math.min(AWAY_S, seconds / 10),
    // Between two kills: a node cannot start while PostgreSQL is unavailable.
    postgresAt: (Math.floor((seconds * POSTGRES_AT) / every) + 0.5) * every,
    postgresAway: POSTGRES_AWAY_S,
    s3At: seconds * S3_AT,
    s3Away: Math.min(S3_AWAY_S, seconds / 6),
  }
}

/** Carries out the plan; resolves when all is back. */
export async function inflictFaults(stage: Stage, plan: FaultPlan): Promise<void> {
  await Promise.all([killNodes(stage, plan), restartPostgres(stage, plan), stopS3(stage, plan)])
}

async function killNodes(stage: Stage, { seconds, every, away }: FaultPlan): Promise<void> {
  const { cluster, journal } = stage
  const begin = performance.now()
  for (let i = 0; (i + 1) * every < seconds - away; i++) {
    await sleep(Math.max(0, begin + (i + 1) * every * 1000 - performance.now()))
    const n = i % cluster.nodes.length
    const fault = journal.begin('node', { node: n, undisturbed: await probeUndisturbed(stage, `kill-${i}`) })
    await cluster.kill(n)
    const probed = probeEdits(stage, `kill-${i}`).then((done) => (fault.recovery = done - fault.from))
    await sleep(away * 1000)
    const started = await cluster.restart(n)
    fault.until = performance.now()
    await probed
    say(
      `${cluster.nodes[n]!.name} was killed: all repositories were written to after ${shortNumber(fault.recovery)} ms; it started in ${shortNumber(started)} ms`,
    )
  }
}

async function restartPostgres(stage: Stage, { postgresAt, postgresAway }: FaultPlan): Promise<void> {
  await sleep(postgresAt * 1000)
  const fault = stage.journal.begin('postgres', { undisturbed: await probeUndisturbed(stage, 'postgres') })
  await stage.cluster.postgres.stop()
  await sleep(postgresAway * 1000)
  await stage.cluster.postgres.start()
  fault.until = performance.now()
  fault.recovery = (await probeEdits(stage, 'postgres')) - fault.until
  say(
    `PostgreSQL was restarted: all repositories were written to ${shortNumber(fault.recovery)} ms after it was back, ${shortNumber(fault.until + fault.recovery - fault.from)} ms after it was stopped`,
  )
}

async function stopS3({ cluster: { s3 }, journal }: Stage, { s3At, s3Away }: FaultPlan): Promise<void> {
  if (s3 === undefined) return
  await sleep(s3At * 1000)
  const fault = journal.begin('s3')
  await s3.stop()
  await sleep(s3Away * 1000)
  await s3.start()
  fault.until = performance.now()
  const files = journal.times.file.length
  while (journal.times.file.length === files && performance.now() < fault.until + PROBE_DEADLINE_MS)
    await sleep(PROBE_MS)
  fault.recovery = performance.now() - fault.until
  say(`the S3 server was away for ${s3Away} s: a file was stored ${shortNumber(fault.recovery)} ms after it was back`)
}

/** Time of a commit to every repository while everything is available, ms. */
async function probeUndisturbed(stage: Stage, name: string): Promise<number> {
  const begin = performance.now()
  return (await probeEdits(stage, `before-${name}`)) - begin
}

/** Commits to every repository through the nodes that are up; gives when the last of them succeeded. */
async function probeEdits(stage: Stage, name: string): Promise<number> {
  const ends = await Promise.all(
    stage.repos.map(async (repo) => {
      for (let i = 0, end = performance.now() + PROBE_DEADLINE_MS; performance.now() < end; i++) {
        const node = await stage.balancer.pick()
        const reply = await stage.balancer
          .sendTo(node, editRequest(stage, repo, `probes/${name}-${i}`))
          .catch(() => undefined)
        if (reply?.status === 201) {
          stage.journal.acknowledge({ kind: 'edit', repo, branch: 'main', oid: reply.json.commit.sha as string })
          return performance.now()
        }
        await sleep(PROBE_MS)
      }
      return Infinity
    }),
  )
  return Math.max(...ends)
}
