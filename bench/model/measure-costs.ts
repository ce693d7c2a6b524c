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
import { inParallel } from '../load/in-parallel.ts'
import { drawTable, shortNumber } from '../table.ts'

const READS = 3000
const WRITES = 300
const PUSHES = 20
const ISSUES = 60
/** Addresses that reads ask for in turn. A comment follows each turn, so that few answers are ones of before. */
const ADDRESSES = 20
/** The first requests compile. */
const WARM_UP = 1000
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
  const repos = Array.from({ length: ADDRESSES }, (_, i) => `/repos/${target.login}/r${i}`)
  for (const path of repos)
    await ask('/user/repos', 'POST', { name: path.split('/').pop(), auto_init: true, default_branch: 'main' })
  const [repo] = repos as [string]
  for (let i = 0; i < ISSUES; i++) await ask(`${repo}/issues`, 'POST', { title: `issue ${i}`, body: 'Some text' })
  const of = (i: number): string => repos[i % ADDRESSES]!
  const reads: Record<string, (i: number) => Promise<unknown>> = {
    user: () => ask('/user'),
    repository: (i) => ask(of(i)),
    'list of issues': (i) => ask(`${repo}/issues?limit=50&page=${1 + (i % 2)}`),
    'one issue': (i) => ask(`${repo}/issues/${1 + (i % ADDRESSES)}`),
    file: (i) => ask(`${of(i)}/contents/README.md`),
    commits: (i) => ask(`${of(i)}/commits?limit=30`),
    'advertised refs': (i) => advertised(`${target.url}${of(i).slice('/repos'.length)}.git`, headers),
  }
  const comment = () => ask(`${repo}/issues/1/comments`, 'POST', { body: 'Some text' })
  const newIssue = () => ask(`${repo}/issues`, 'POST', { title: 'An issue', body: 'Some text' })
  const read = (): Cpu => ({ ...cpuOfServer(server.child.pid!), database: cpuOf(postmaster) })
  const rows: string[][] = []
  const add = (name: string, cpu: Cpu): void =>
    void rows.push([name, ...PARTS.map((part) => shortNumber(Math.max(0, cpu[part])))])
  await inParallel(WRITES, comment)
  const written = await measure(WRITES, { send: (count) => inParallel(count, comment), read })
  add('comment made', written)
  add('issue made', await measure(WRITES, { send: (count) => inParallel(count, newIssue), read }))
  for (const [name, readOne] of Object.entries(reads)) {
    const ask = async (i: number): Promise<void> => {
      await readOne(i)
      if (i % ADDRESSES === 0) await comment()
    }
    await inParallel(WARM_UP, ask)
    const { node, git, database } = await measure(READS, { send: (count) => inParallel(count, ask), read })
    add(name, { node: node - written.node / ADDRESSES, git, database: database - written.database / ADDRESSES })
  }
  const push = await pusher(tempDir, target)
  const inTurn = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await push()
  }
  await inTurn(1)
  add('push', await measure(PUSHES, { send: inTurn, read }))
  console.log(drawTable(['CPU time, ms', 'server', 'git', 'PostgreSQL'], rows))
}

const PARTS = ['node', 'git', 'database'] as const

/** The CPU time of each of `count` requests, ms. */
async function measure(
  count: number,
  { send, read }: { send(count: number): Promise<unknown>; read(): Cpu },
): Promise<Cpu> {
  // What earlier requests left to do is not theirs.
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  const before = read()
  await send(count)
  const after = read()
  const each = (part: keyof Cpu): number => (after[part] - before[part]) / count
  return { node: each('node'), git: each('git'), database: each('database') }
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
    const url = `${target.url}/${target.login}/r0.git`
    await tempDir.run('git', ['push', '--quiet', url, 'p:p'], { cwd: path, env: gitLogin(target) })
  }
}

/** CPU time of the process itself and of its ended children, ms. */
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
