import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { basicHeaders, requireApi, tokenHeaders } from '../api.ts'
import type { Options } from '../options.ts'
import { say } from '../run.ts'
import type { TempDir } from '../system/processes.ts'
import { Balancer } from './balancer.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { inflictFaults, planFaults } from './faults.ts'
import { startHookLog, type HookLog } from './hook-log.ts'
import { Journal } from './journal.ts'
import { applyMixedLoad, type Stage } from './load.ts'
import { summarize, type Summary } from './report.ts'
import { verify } from './verify.ts'

export { drawNodes, type Summary } from './report.ts'

const REPOS = 8
const LOGIN = 'admin'
/** Time after the last fault, before the load ends. */
const CALM_MS = 1_000

type NodesOptions = Pick<Options, 'nodes' | 'seconds' | 'shared'>

/** The mixed load on several nodes while they are killed; then what was acknowledged is compared with what is there. */
export async function measureNodes(tempDir: TempDir, options: NodesOptions): Promise<Summary> {
  say(`starting PostgreSQL and ${options.nodes} nodes`)
  const cluster = await startCluster(tempDir, options)
  if (cluster.s3 === undefined) say('no versitygw (INGOT_VERSITYGW): files are on the disk that all nodes share')
  const hooks = await startHookLog()
  try {
    return await measure(tempDir, { cluster, hooks, options })
  } finally {
    await hooks.close()
  }
}

interface Parts {
  readonly cluster: Cluster
  readonly hooks: HookLog
  readonly options: NodesOptions
}

async function measure(tempDir: TempDir, { cluster, hooks, options }: Parts): Promise<Summary> {
  const journal = new Journal()
  const stage = await setUp(tempDir, { cluster, journal, hooks })
  const plan = planFaults(options.seconds)
  say(`a node is killed every ${plan.every} s of ${plan.seconds}, PostgreSQL restarted at ${plan.postgresAt} s`)
  const begin = performance.now()
  let isOver = false
  const load = applyMixedLoad(stage, () => isOver)
  const faults = inflictFaults(stage, plan).then(() =>
    sleep(Math.max(CALM_MS, begin + plan.seconds * 1000 - performance.now())),
  )
  try {
    await Promise.race([faults, load])
  } finally {
    isOver = true
  }
  await load
  const seconds = (performance.now() - begin) / 1000
  say('comparing what was acknowledged with what is there')
  const verdict = await verify(stage, hooks)
  return summarize({ journal, verdict, hooks, seconds, nodes: options.nodes })
}

/** An account, and repositories with a webhook, a first commit and an issue each. */
async function setUp(
  tempDir: TempDir,
  { cluster, journal, hooks }: { cluster: Cluster; journal: Journal; hooks: HookLog },
): Promise<Stage> {
  const { url } = cluster.nodes[0]!
  const { sha1: token } = await requireApi<{ sha1: string }>(url, {
    method: 'POST',
    path: `/users/${LOGIN}/tokens`,
    headers: basicHeaders(LOGIN, cluster.adminPassword),
    body: { name: 'bench', scopes: ['all'] },
  })
  const post = (path: string, body: unknown) =>
    requireApi(url, { method: 'POST', path, headers: tokenHeaders({ token }), body })
  const repos = Array.from({ length: REPOS }, (_, i) => `repo-${i}`)
  for (const name of repos) {
    await post('/user/repos', { name, auto_init: true, default_branch: 'main' })
    await post(`/repos/${LOGIN}/${name}/issues`, { title: 'first' })
    const config = { url: hooks.url, content_type: 'json' }
    await post(`/repos/${LOGIN}/${name}/hooks`, {
      type: 'gitea',
      active: true,
      events: ['push', 'issues_only'],
      config,
    })
  }
  const authorization = basicHeaders(LOGIN, token)['authorization'] as string
  const balancer = new Balancer(cluster.nodes, journal, authorization)
  return { tempDir, cluster, journal, balancer, login: LOGIN, repos }
}
