// Prints the CPU time of one request of each kind, and of a push, for the server, its git processes and PostgreSQL:
// what costs.ts starts from. Run it alone: node bench/model/measure-costs.ts
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgres } from '../../test/harness/postgres.ts'
import { gitLogin, requireApi, tokenHeaders } from '../api.ts'
import { commitOn } from '../data/commits.ts'
import { signUp } from '../data/fill.ts'
import { cpuOf } from '../system/process-tree.ts'
import { openTempDir, type TempDir } from '../system/processes.ts'
import { startOwn, type Target } from '../system/target.ts'
import { drawTable, shortNumber } from '../table.ts'

const REQUESTS = 300
const PUSHES = 20
const ISSUES = 60
/** The first requests compile and fill caches. */
const WARM_UP = 60
const QUIET_MS = 2_000
const MS_PER_TICK = 10

interface Cpu {
  readonly node: number
  readonly git: number
  readonly database: number
}

async function main(tempDir: TempDir): Promise<void> {
  chmodSync(tempDir.dir, 0o711) // another account serves PostgreSQL
  const dir = join(tempDir.dir, 'postgres', 'data')
  const postgres = await startPostgres(dir)
  if (postgres === undefined) throw new Error('this machine has no PostgreSQL')
  tempDir.beforeClose(() => postgres.stop())
  await postgres.createDatabase('ingot')
  const postmaster = Number(readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')[0])
  const server = await startOwn(tempDir, { dataDir: join(tempDir.dir, 'data'), databaseUrl: `${postgres.url}/ingot` })
  const target: Target = { ...(await signUp(server)), url: server.url }
  const headers = tokenHeaders(target)
  const ask = (path: string, method = 'GET', body?: unknown) =>
    requireApi(target.url, { method, path, headers, ...(body !== undefined && { body }) })
  await ask('/user/repos', 'POST', { name: 'r', auto_init: true, default_branch: 'main' })
  const repo = `/repos/${target.login}/r`
  for (let i = 0; i < ISSUES; i++) await ask(`${repo}/issues`, 'POST', { title: `issue ${i}`, body: 'Some text' })
  const kinds: Record<string, () => Promise<unknown>> = {
    user: () => ask('/user'),
    repository: () => ask(repo),
    'list of issues': () => ask(`${repo}/issues?limit=50`),
    'one issue': () => ask(`${repo}/issues/1`),
    file: () => ask(`${repo}/contents/README.md`),
    commits: () => ask(`${repo}/commits?limit=30`),
    'advertised refs': () => advertised(`${target.url}/${target.login}/r.git`, headers),
    'issue made': () => ask(`${repo}/issues`, 'POST', { title: 'An issue', body: 'Some text' }),
  }
  const read = (): Cpu => ({ ...cpuOfServer(server.child.pid!), database: cpuOf(postmaster) })
  const rows: string[][] = []
  for (const [name, ask] of Object.entries(kinds)) {
    for (let i = 0; i < WARM_UP; i++) await ask()
    rows.push(await measure(name, REQUESTS, { ask, read }))
  }
  const push = await pusher(tempDir, target)
  await push()
  rows.push(await measure('push', PUSHES, { ask: push, read }))
  console.log(drawTable(['CPU time, ms', 'server', 'git', 'PostgreSQL'], rows))
}

async function measure(
  name: string,
  count: number,
  { ask, read }: { ask(): Promise<unknown>; read(): Cpu },
): Promise<string[]> {
  // What earlier requests left to do is not theirs.
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  const before = read()
  for (let i = 0; i < count; i++) await ask()
  const after = read()
  const each = (['node', 'git', 'database'] as const).map((part) => shortNumber((after[part] - before[part]) / count))
  return [name, ...each]
}

async function advertised(url: string, headers: ReturnType<typeof tokenHeaders>): Promise<void> {
  const answer = await fetch(`${url}/info/refs?service=git-upload-pack`, {
    headers: { ...(headers as Record<string, string>), 'git-protocol': 'version=2' },
  })
  await answer.arrayBuffer()
}

/** Pushes one more commit to a branch of its own. */
async function pusher(tempDir: TempDir, target: Target): Promise<() => Promise<unknown>> {
  const path = join(tempDir.dir, 'work')
  await tempDir.run('git', ['init', '--quiet', '--bare', '--initial-branch=p', path])
  const stream = `commit refs/heads/p\ncommitter A <a@example.org> 1900000000 +0000\ndata 4\nroot\n\n`
  await tempDir.run('git', ['fast-import', '--quiet'], { cwd: path, feed: (write) => write(stream) })
  let pushed = 0
  return async () => {
    await commitOn(tempDir, path, { file: `f${pushed % 20}`, text: `push ${pushed++}`, branch: 'p' })
    const url = `${target.url}/${target.login}/r.git`
    await tempDir.run('git', ['push', '--quiet', url, 'p:p'], { cwd: path, env: gitLogin(target) })
  }
}

/** Of the process itself and of its ended children, ms. */
function cpuOfServer(pid: number): Pick<Cpu, 'node' | 'git'> {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number)
  return { node: (user! + system!) * MS_PER_TICK, git: (childUser! + childSystem!) * MS_PER_TICK }
}

const tempDir = openTempDir()
try {
  await main(tempDir)
} finally {
  await tempDir.close()
}
