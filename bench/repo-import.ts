// Measures the import of one large repository from a made-up server, with the importing server killed on the way.
// Options: node bench/repo-import.ts --help
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { basicHeaders, requireApi } from './api.ts'
import { startDatabase } from './databases/postgres-run.ts'
import type { Shape } from './imports/source-objects.ts'
import { say } from './run.ts'
import { settle } from './system/maintenance.ts'
import { cpuOf, treeOf } from './system/process-tree.ts'
import { onLines, openTempDir, type TempDir } from './system/processes.ts'
import { type OwnServer, startOwn } from './system/target.ts'
import { drawTable } from './table.ts'

const HELP = `node bench/repo-import.ts [--scale 1] [--shape gitea|github] [--database sqlite|postgres] [--kills 1]
At scale 1 the repository has 50,000 issues with 500,000 comments. Memory is that of the tree of the importing server.`
const FULL = { issues: 50_000, comments: 500_000 }
const POLL_MS = 250

interface Run {
  readonly shape: Shape
  readonly issues: number
  readonly comments: number
  readonly kills: number
  readonly isPostgres: boolean
}

interface Migration {
  readonly id: number
  readonly state: string
  readonly error: string
  readonly phase: string
  readonly done: Readonly<Record<string, number>>
  readonly warnings_count: number
}

const memoryNow = ({ child }: OwnServer): number => treeOf(child.pid!).reduce((sum, { resident }) => sum + resident, 0)

async function startSource(tempDir: TempDir, { shape, issues, comments }: Run) {
  const bare = join(tempDir.dir, 'source', 'big', 'repo.git')
  await tempDir.run('git', ['init', '-q', '--bare', '-b', 'main', bare])
  const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
  await tempDir.run('git', ['-C', bare, 'hash-object', '-t', 'tree', '-w', '/dev/null'])
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.test']
  const commit = await tempDir.read('git', ['-C', bare, ...identity, 'commit-tree', '-m', 'first', empty])
  await tempDir.run('git', ['-C', bare, 'update-ref', 'refs/heads/main', commit.trim()])
  await tempDir.run('git', ['-C', bare, 'update-server-info'])
  const child = tempDir.start(
    process.execPath,
    [
      join(import.meta.dirname, 'imports/large-source.ts'),
      shape,
      String(issues),
      String(comments),
      join(tempDir.dir, 'source'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const url = await new Promise<string>((resolve) => onLines(child.stdout!, resolve))
  return {
    url,
    cpu: () => cpuOf(child.pid!),
    counts: async () => (await (await fetch(`${url}/counts`)).json()) as Record<string, number>,
  }
}

async function main(run: Run): Promise<void> {
  const tempDir = openTempDir()
  const interrupt = (): void => void tempDir.close().then(() => process.exit(130))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const database = run.isPostgres ? await startDatabase(tempDir) : undefined
    const settings = { dataDir: join(tempDir.dir, 'target'), databaseUrl: database?.url ?? '' }
    const databaseCpu = (): number => (database?.pids ?? []).reduce((sum, pid) => sum + cpuOf(pid), 0)
    const source = await startSource(tempDir, run)
    let server = await startOwn(tempDir, settings)
    const headers = basicHeaders('admin', server.adminPassword!)
    await settle()
    const idle = memoryNow(server)
    let [peak, before, spent] = [idle, cpuOf(server.child.pid!) + databaseCpu(), 0]
    const begin = performance.now()
    const { id } = await requireApi<Migration>(server.url, {
      method: 'POST',
      path: '/repos/migrate?async=true',
      headers,
      body: {
        clone_addr: `${source.url}/big/repo.git`,
        repo_name: 'large',
        service: run.shape,
        auth_token: 'token',
        labels: true,
        milestones: true,
        issues: true,
        pull_requests: true,
        releases: true,
      },
    })
    const read = (): Promise<Migration> => requireApi(server.url, { path: `/repos/migrations/${id}`, headers })
    let [state, kills, phase] = [await read(), 0, '']
    for (; state.state === 'running'; state = await read()) {
      await sleep(POLL_MS)
      peak = Math.max(peak, memoryNow(server))
      if (state.phase !== phase) {
        phase = state.phase
        say(`${phase} after ${Math.round((performance.now() - begin) / 1000)} s, ${Math.round(memoryNow(server))} MB`)
      }
      const share = ((state.done['comments'] ?? 0) + (state.done['issues'] ?? 0)) / (run.issues + run.comments)
      if (kills >= run.kills || share < (kills + 1) / (run.kills + 1)) continue
      kills++
      say(`kill ${kills} after ${JSON.stringify(state.done)}; requests ${JSON.stringify(await source.counts())}`)
      spent += cpuOf(server.child.pid!) + databaseCpu() - before
      server.child.kill('SIGKILL')
      await once(server.child, 'exit')
      server = await startOwn(tempDir, settings)
      before = databaseCpu()
    }
    const ms = performance.now() - begin
    spent += cpuOf(server.child.pid!) + databaseCpu() - before
    if (state.state !== 'done') throw new Error(`the import ended as ${state.state}: ${state.error}`)
    const count = async (path: string): Promise<number> => {
      const answer = await fetch(`${server.url}/api/v1/repos/admin/large/${path}`, {
        headers: headers as Record<string, string>,
      })
      await answer.arrayBuffer()
      return Number(answer.headers.get('x-total-count'))
    }
    const found = { issues: await count('issues?state=all&limit=1'), comments: await count('issues/comments?limit=1') }
    const objects = run.issues + run.comments
    say(`requests: ${JSON.stringify(await source.counts())}; CPU of the source: ${Math.round(source.cpu() / 1000)} s`)
    if (found.issues !== run.issues || found.comments !== run.comments)
      throw new Error(`imported ${JSON.stringify(found)} of ${run.issues} issues and ${run.comments} comments`)
    console.log(
      drawTable(
        ['import', 'objects', 's', 'objects/s', 'CPU us/object', 'idle MB', 'highest MB', 'above idle', 'load'],
        [
          [
            `${run.shape}, ${run.isPostgres ? 'PostgreSQL' : 'SQLite'}, ${kills} kills`,
            String(objects),
            (ms / 1000).toFixed(0),
            ((objects / ms) * 1000).toFixed(0),
            ((spent / objects) * 1000).toFixed(0),
            idle.toFixed(0),
            peak.toFixed(0),
            (peak - idle).toFixed(0),
            loadavg()[1]!.toFixed(1),
          ],
        ],
      ),
    )
  } finally {
    await tempDir.close()
  }
}

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    shape: { type: 'string', default: 'gitea' },
    database: { type: 'string', default: 'sqlite' },
    kills: { type: 'string', default: '1' },
    help: { type: 'boolean' },
  },
})
if (values.help === true) console.log(HELP)
else {
  const scale = Number(values.scale)
  await main({
    shape: values.shape === 'github' ? 'github' : 'gitea',
    issues: Math.round(FULL.issues * scale),
    comments: Math.round(FULL.comments * scale),
    kills: Number(values.kills),
    isPostgres: values.database === 'postgres',
  })
}
