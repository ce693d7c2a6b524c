import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import type { Any } from '../../test/harness/client.ts'
import { type DoctorReport, readDoctor } from './doctor-report.ts'
import type { HookLog } from './hook-log.ts'
import type { Stage } from './load.ts'

export interface Verdict {
  /** Acknowledged writes that are not there. */
  readonly lost: readonly string[]
  /** Refs that a row or a node shows otherwise. */
  readonly differences: readonly string[]
  /** Events of acknowledged writes that no webhook brought. */
  readonly undelivered: readonly string[]
  /** First deliveries of pushes in another order than the pushes to that branch. */
  readonly unordered: number
  /** Problems and notes of `ingot doctor`, each after the name of its check. */
  readonly doctor: DoctorReport
}

const PAGE = 50
const DELIVERY_PATIENCE_MS = 120_000
const ROW_PATIENCE_MS = 10_000
const FILES_READ = 300

/** Compares what is there with what was acknowledged, after the load. */
export async function verify(stage: Stage, hooks: HookLog): Promise<Verdict> {
  const undelivered = await awaitDeliveries(stage, hooks)
  const lost: string[] = []
  const differences: string[] = []
  const client = new pg.Client(stage.cluster.databaseUrl)
  await client.connect()
  try {
    for (const repo of stage.repos) {
      differences.push(...(await compareRefs(stage, client, repo)))
      lost.push(...(await findLost(stage, client, repo)))
    }
  } finally {
    await client.end()
  }
  lost.push(...(await findLostFiles(stage)))
  return { lost, differences, undelivered, unordered: countUnordered(stage, hooks), doctor: await runDoctor(stage) }
}

async function runDoctor({ tempDir, cluster }: Stage): Promise<DoctorReport> {
  const main = join(import.meta.dirname, '../../src/ingot.js')
  // Every variable INGOT_* of a server is a setting.
  const script = 'unset INGOT_VERSITYGW; "$@" || true'
  const output = await tempDir.read('sh', ['-c', script, 'sh', process.execPath, main, 'doctor'], {
    env: cluster.environment,
  })
  return readDoctor(output)
}

async function awaitDeliveries({ journal }: Stage, { arrivals }: HookLog): Promise<string[]> {
  const issues = journal.texts.filter(({ kind }) => kind === 'issue')
  const expected = [
    ...issues.map(({ repo, text }) => `${repo} issue ${text}`),
    ...journal.commits.map(({ repo, oid }) => `${repo} push ${oid}`),
  ]
  for (const end = performance.now() + DELIVERY_PATIENCE_MS; ; await sleep(100)) {
    const missing = expected.filter((key) => !arrivals.has(key))
    if (missing.length === 0 || performance.now() > end) return missing
  }
}

/** Acknowledged pushes to one branch come from one pusher, one after the other. */
function countUnordered({ journal }: Stage, { pushes }: HookLog): number {
  const pushed = Map.groupBy(
    journal.commits.filter(({ kind }) => kind === 'push'),
    ({ repo, branch }) => `${repo} ${branch}`,
  )
  let unordered = 0
  for (const [key, writes] of pushed) {
    const order = new Map((pushes.get(key) ?? []).map((oid, i) => [oid, i]))
    const places = writes.flatMap(({ oid }) => order.get(oid) ?? [])
    unordered += places.filter((place, i) => i > 0 && place < places[i - 1]!).length
  }
  return unordered
}

type Refs = Readonly<Record<string, string>>

/** Compares the branches on disk with the rows, and with the answers of each node. */
async function compareRefs(stage: Stage, client: pg.Client, repo: string): Promise<string[]> {
  for (const end = performance.now() + ROW_PATIENCE_MS; ; await sleep(200)) {
    const refs = await refsOnDisk(stage, client, repo)
    const { rows } = await client.query<{ name: string; oid: string }>(
      'select branch.name, branch.oid from branch join repo on repo.id = branch.repo_id where repo.name = $1',
      [repo],
    )
    const differences = difference(refs, Object.fromEntries(rows.map(({ name, oid }) => [name, oid])), `${repo}: rows`)
    for (const [n, { name }] of stage.cluster.nodes.entries()) {
      const { json } = await stage.balancer.sendTo(n, { path: `/repos/${stage.login}/${repo}/branches?limit=${PAGE}` })
      // NOTE: a node that refuses shows no branch, so that each of them is a difference.
      const branches = Array.isArray(json) ? (json as { name: string; commit: { id: string } }[]) : []
      const shown = branches.map((branch) => [branch.name, branch.commit.id])
      differences.push(...difference(refs, Object.fromEntries(shown) as Refs, `${repo}: ${name}`))
    }
    if (differences.length === 0 || performance.now() > end) return differences
  }
}

const difference = (refs: Refs, others: Refs, where: string): string[] =>
  [...new Set([...Object.keys(refs), ...Object.keys(others)])]
    .filter((name) => refs[name] !== others[name])
    .map((name) => `${where}: ${name} is ${others[name]}, on disk ${refs[name]}`)

async function directoryOf({ cluster }: Stage, client: pg.Client, repo: string): Promise<string> {
  const { rows } = await client.query<{ storage: string }>('select storage from repo where name = $1', [repo])
  return join(cluster.dataDir, 'git', 'repos', `${rows[0]!.storage}.git`)
}

async function refsOnDisk(stage: Stage, client: pg.Client, repo: string): Promise<Refs> {
  const format = '--format=%(refname:lstrip=2) %(objectname)'
  const cwd = await directoryOf(stage, client, repo)
  const output = await stage.tempDir.read('git', ['for-each-ref', format, 'refs/heads'], { cwd })
  return Object.fromEntries(
    output
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' ')),
  ) as Refs
}

async function findLost(stage: Stage, client: pg.Client, repo: string): Promise<string[]> {
  const cwd = await directoryOf(stage, client, repo)
  const lost: string[] = []
  const commits = stage.journal.commits.filter((write) => write.repo === repo)
  for (const [branch, writes] of Map.groupBy(commits, (write) => write.branch)) {
    const history = new Set(
      (await stage.tempDir.read('git', ['rev-list', `refs/heads/${branch}`], { cwd })).split('\n'),
    )
    lost.push(
      ...writes.filter(({ oid }) => !history.has(oid)).map(({ kind, oid }) => `${repo}: ${kind} ${oid} to ${branch}`),
    )
  }
  const issues = await listAll(stage, `/repos/${stage.login}/${repo}/issues?state=all&type=issues`)
  const titles = new Map(issues.map(({ number, title }) => [number, title]))
  const comments = await listAll(stage, `/repos/${stage.login}/${repo}/issues/comments?`)
  const texts = new Map(comments.map(({ id, body }) => [id, body]))
  for (const { kind, id, text } of stage.journal.texts.filter((write) => write.repo === repo))
    if ((kind === 'issue' ? titles : texts).get(id) !== text) lost.push(`${repo}: ${kind} ${id}, ${text}`)
  return lost
}

async function listAll(stage: Stage, path: string): Promise<Any[]> {
  const all: Any[] = []
  for (let page = 1; ; page++) {
    const { json } = await stage.balancer.sendTo(0, { path: `${path}&limit=${PAGE}&page=${page}` })
    all.push(...(json as Any[]))
    if ((json as Any[]).length < PAGE) return all
  }
}

/** Reads some of the files, spread over the run. */
async function findLostFiles(stage: Stage): Promise<string[]> {
  const { files } = stage.journal
  const step = Math.max(1, Math.floor(files.length / FILES_READ))
  const lost: string[] = []
  for (let i = 0; i < files.length; i += step) {
    const { url, sha256 } = files[i]!
    const answer = await fetch(stage.cluster.nodes[i % stage.cluster.nodes.length]!.url + url, {
      headers: { authorization: stage.balancer.authorization },
    })
    const digest = createHash('sha256')
      .update(new Uint8Array(await answer.arrayBuffer()))
      .digest('hex')
    if (digest !== sha256) lost.push(`file ${url}: ${answer.status}`)
  }
  return lost
}
