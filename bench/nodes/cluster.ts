import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/harness/free-port.ts'
import { startPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import { findVersitygw, startVersitygw, type Versitygw } from '../../test/harness/versitygw.ts'
import { type Options, UsageError } from '../options.ts'
import { onLines, type TempDir } from '../system/processes.ts'

/** A server of the cluster; it keeps its address when it is started again. */
export interface Node {
  readonly name: string
  readonly url: string
  /** It was started and not killed since. */
  isUp: boolean
  child: ChildProcess
  readonly lastLines: string[]
}

export interface Cluster {
  readonly nodes: readonly Node[]
  readonly postgres: TestPostgres
  readonly databaseUrl: string
  /** Undefined where the machine has no versitygw. */
  readonly s3: Versitygw | undefined
  /** The data directory of the first node, with the repositories. */
  readonly dataDir: string
  readonly adminPassword: string
  /** Settings of a node as variables of the environment, for commands of the server. */
  readonly environment: Readonly<Record<string, string>>
  kill(n: number): Promise<void>
  /** Gives the ms until it answers. */
  restart(n: number): Promise<number>
}

const MAIN = join(import.meta.dirname, '../../src/ingot.js')
const START_DEADLINE_MS = 60_000
const POLL_MS = 20
const RESTART_PAUSE_MS = 500
const KEPT_LINES = 40
const DATABASE = 'ingot'

/** Nodes on one PostgreSQL, one root and, where there is a versitygw, one bucket. */
export async function startCluster(
  tempDir: TempDir,
  { nodes: count, shared }: Pick<Options, 'nodes' | 'shared'>,
): Promise<Cluster> {
  chmodSync(tempDir.dir, 0o711) // another account serves PostgreSQL
  const postgres = await startPostgres(join(tempDir.dir, 'postgres', 'data'))
  if (postgres === undefined) throw new UsageError('--only nodes: this machine has no PostgreSQL')
  tempDir.beforeClose(() => postgres.stop())
  await postgres.createDatabase(DATABASE)
  const databaseUrl = `${postgres.url}/${DATABASE}`
  const program = findVersitygw()
  const s3 = program === undefined ? undefined : await startVersitygw(program)
  if (s3 !== undefined) tempDir.beforeClose(() => s3.close())
  const dataDirs =
    shared.length === 0 ? [join(tempDir.dir, 'shared')] : shared.map((dir) => join(dir, basename(tempDir.dir)))
  const dataDir = dataDirs[0]!
  if (shared.length > 0) tempDir.beforeClose(async () => rmSync(dataDir, { recursive: true, force: true }))
  const environmentOf = (n: number): Record<string, string> =>
    settingsOf(tempDir, { dataDir: dataDirs[n % dataDirs.length]!, databaseUrl, s3 })
  const first = await startNode(tempDir, { name: 'node1', port: await freePort(), environment: environmentOf(0) })
  const nodes = [first.node]
  for (let n = 1; n < count; n++)
    nodes.push(
      (await startNode(tempDir, { name: `node${n + 1}`, port: await freePort(), environment: environmentOf(n) })).node,
    )
  return {
    nodes,
    postgres,
    databaseUrl,
    s3,
    dataDir,
    adminPassword: first.adminPassword,
    environment: { ...environmentOf(0), INGOT_CLUSTER_NODE: 'doctor' },
    async kill(n) {
      const node = nodes[n]!
      node.isUp = false
      const ended = once(node.child, 'exit')
      node.child.kill('SIGKILL')
      await ended
    },
    async restart(n) {
      const node = nodes[n]!
      const begin = performance.now()
      const plan = { name: node.name, port: Number(new URL(node.url).port), environment: environmentOf(n) }
      const again = await startUntilItServes(tempDir, plan)
      node.child = again.node.child
      node.isUp = true
      return performance.now() - begin
    },
  }
}

/** A node that starts while PostgreSQL is unavailable exits; its supervisor starts it again. */
async function startUntilItServes(tempDir: TempDir, plan: NodePlan): ReturnType<typeof startNode> {
  for (const end = performance.now() + START_DEADLINE_MS; ; await sleep(RESTART_PAUSE_MS)) {
    try {
      return await startNode(tempDir, plan)
    } catch (error) {
      if (performance.now() > end) throw error
    }
  }
}

function settingsOf(
  tempDir: TempDir,
  { dataDir, databaseUrl, s3 }: Pick<Cluster, 'dataDir' | 'databaseUrl' | 's3'>,
): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: tempDir.dir,
    INGOT_DATA_DIR: dataDir,
    INGOT_CLUSTER_ENABLED: 'true',
    INGOT_DATABASE_URL: databaseUrl,
    INGOT_DATABASE_MAX_CONNECTIONS: '10',
    INGOT_SSH_ENABLED: 'false',
    INGOT_LOG_LEVEL: 'warn',
    INGOT_RATE_LIMIT_ANONYMOUS_PER_MINUTE: '0',
    INGOT_RATE_LIMIT_PASSWORDS_PER_MINUTE: '0',
    INGOT_WEBHOOK_ALLOWED_HOSTS: 'loopback',
    ...(s3 && {
      INGOT_STORAGE_KIND: 's3',
      INGOT_STORAGE_ENDPOINT: s3.url,
      INGOT_STORAGE_BUCKET: s3.bucket,
      INGOT_STORAGE_PATH_STYLE: 'true',
      INGOT_STORAGE_ACCESS_KEY: s3.keys.id,
      INGOT_STORAGE_SECRET_KEY: s3.keys.secret,
    }),
  }
}

interface NodePlan {
  readonly name: string
  readonly port: number
  readonly environment: Readonly<Record<string, string>>
}

async function startNode(
  tempDir: TempDir,
  { name, port, environment }: NodePlan,
): Promise<{ node: Node; adminPassword: string }> {
  const url = `http://127.0.0.1:${port}`
  const child = tempDir.start(process.execPath, [MAIN, 'serve'], {
    cwd: tempDir.dir,
    env: {
      INGOT_SERVER_WORKERS: '1',
      ...environment,
      INGOT_CLUSTER_NODE: name,
      INGOT_CLUSTER_LOCAL_DIR: join(tempDir.dir, name),
      INGOT_SERVER_PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lastLines: string[] = []
  let adminPassword = ''
  let isWelcome = false
  onLines(child.stdout!, (line) => {
    adminPassword ||= /password: (\S+)/.exec(line)?.[1] ?? ''
    isWelcome ||= line.startsWith('API reference')
  })
  onLines(child.stderr!, (line) => {
    lastLines.push(line)
    if (lastLines.length > KEPT_LINES) lastLines.shift()
  })
  for (const end = performance.now() + START_DEADLINE_MS; ; await sleep(POLL_MS)) {
    if (isWelcome && (await answers(url))) break
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`${name} does not start: ${lastLines.join('\n')}`)
  }
  return { node: { name, url, isUp: true, child, lastLines }, adminPassword }
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/api/healthz`).then(
    async (answer) => (await answer.arrayBuffer(), answer.ok),
    () => false,
  )
